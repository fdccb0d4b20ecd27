import type { Socket } from "../guard/socket.ts";
import { atTurnEnd, isAlone } from "../guard/turn.ts";

/**
 * Sends octets: at once for the only access that is under way, else at the end of this turn of the loop, together with what others send
 * then, and in one piece with what follows until then.
 */
export function writeCoalesced(socket: Pick<Socket, "cork" | "uncork" | "write">, octets: Uint8Array): void {
  if (isAlone()) {
    socket.write(octets);
    return;
  }
  socket.cork();
  socket.write(octets);
  atTurnEnd(() => socket.uncork());
}
