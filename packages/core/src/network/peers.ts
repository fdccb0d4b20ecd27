import type { Socket } from "./socket.ts";

/** The address of the peer of each connection that the guard has opened, as it was checked. */
const peers = new WeakMap<Socket, string>();

export function notePeer(socket: Socket, address: string): void {
  peers.set(socket, address);
}

/** `undefined` for a connection that the guard has not opened. */
export function checkedPeer(socket: Socket): string | undefined {
  return peers.get(socket);
}
