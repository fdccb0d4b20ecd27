import { giveRoom, ROOM_BYTES, takeRoom, uninitialized } from "../io/buffer-pool.ts";

/** Bytes that are put together, whatever pieces they come in. */
export class ChunkCollector {
  readonly #rooms: Uint8Array[] = [];
  /** Of the bytes in the last room. */
  #length = ROOM_BYTES;

  /** Takes a copy. */
  append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#length === ROOM_BYTES) {
        this.#rooms.push(takeRoom());
        this.#length = 0;
      }
      const piece = bytes.subarray(at, at + ROOM_BYTES - this.#length);
      this.#rooms.at(-1)?.set(piece, this.#length);
      this.#length += piece.length;
      at += piece.length;
    }
  }

  /** What was added, in pieces that are somebody else's as soon as this is cleared. */
  chunks(): Uint8Array<ArrayBuffer>[] {
    const last = this.#rooms.length - 1;
    return this.#rooms.map(
      (room, index) => (index < last ? room : room.subarray(0, this.#length)) as Uint8Array<ArrayBuffer>,
    );
  }

  /** What was added, in an array of its own. */
  concat(): Uint8Array<ArrayBuffer> {
    const chunks = this.chunks();
    const concat = uninitialized(chunks.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of chunks) {
      concat.set(piece, at);
      at += piece.length;
    }
    return concat;
  }

  /** Gives the rooms to others. */
  release(): void {
    for (const room of this.#rooms) giveRoom(room);
    this.#rooms.length = 0;
    this.#length = ROOM_BYTES;
  }
}
