/** Of one room, in bytes. 64 KiB is what the kernel hands over at a time on fast links. */
export const ROOM_BYTES = 65_536;

/** Of a large room, in which a large transfer takes fewer turns; with one of its reader's it still fits into a processor's own memory. */
export const LARGE_ROOM_BYTES = 262_144;

/** Rooms that nobody uses. To have the system make a new one takes longer than to fill it, or to open a connection. */
const spare: Uint8Array[] = [];
const MAX_SPARE = 64;

/** Large rooms are few, whatever the number of connections. */
const spareLarge: Uint8Array[] = [];
let largeLeft = 16;

/** Room for bytes. What lies in it is anybody's: only what has been written since may be read. */
export function takeRoom(): Uint8Array {
  return spare.pop() ?? uninitialized(ROOM_BYTES);
}

/** A large room, as long as there is one. */
export function takeLargeRoom(): Uint8Array | undefined {
  if (largeLeft === 0) return undefined;
  largeLeft--;
  return spareLarge.pop() ?? uninitialized(LARGE_ROOM_BYTES);
}

/** Gives a room of either kind to others; of one in which somebody may still read, another takes the place. */
export function giveRoom(room: Uint8Array, mayBeRead = false): void {
  if (room.length === LARGE_ROOM_BYTES) {
    largeLeft++;
    if (!mayBeRead) spareLarge.push(room);
  } else if (!mayBeRead && spare.length < MAX_SPARE) spare.push(room);
}

/** An array whose every byte will be written before anybody reads it; to fill it with zeros would take as long as that. */
export function uninitialized(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
}
