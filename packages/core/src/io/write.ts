import type { Socket } from "../network/socket.ts";
import { atTurnEnd, isAlone } from "../network/turn.ts";

/**
 * Sends bytes: at once for the only access that is under way, else at the end of this turn of the loop, together with what others send
 * then, and in one piece with what follows until then.
 */
export function writeCoalesced(socket: Pick<Socket, "cork" | "uncork" | "write">, bytes: Uint8Array): void {
  if (isAlone()) {
    socket.write(bytes);
    return;
  }
  socket.cork();
  socket.write(bytes);
  atTurnEnd(() => socket.uncork());
}
