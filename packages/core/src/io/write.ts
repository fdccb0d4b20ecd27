import type { Socket } from "../network/connector.ts";

/** Writes bytes together with what is written in the same tick, for example a head and a short body. */
export function writeCoalesced(socket: Pick<Socket, "cork" | "uncork" | "write">, bytes: Uint8Array): void {
  socket.cork();
  socket.write(bytes);
  process.nextTick(() => socket.uncork());
}
