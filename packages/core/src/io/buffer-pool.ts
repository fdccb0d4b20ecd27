/** Of one room, in bytes. */
export const ROOM_BYTES = 65_536;

/** Rooms that nobody uses. To have the system make a new one takes longer than to fill it, or to open a connection. */
const spare: Uint8Array[] = [];
const MAX_SPARE = 64;

/** Room for bytes. What lies in it is anybody's: only what has been written since may be read. */
export function takeRoom(): Uint8Array {
  return spare.pop() ?? uninitialized(ROOM_BYTES);
}

/** Gives a room to others. */
export function giveRoom(room: Uint8Array): void {
  if (spare.length < MAX_SPARE) spare.push(room);
}

/** An array whose every byte will be written before anybody reads it; to fill it with zeros would take as long as that. */
export function uninitialized(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
}
