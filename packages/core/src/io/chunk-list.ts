/** Received chunks below this size, in bytes, are joined. */
const SMALL_CHUNK_BYTES = 4_096;
/** The number of small received chunks that are joined into one. */
const JOINED_CHUNKS = 256;

/**
 * A list of received chunks whose memory is close to the number of their bytes. A plain array of chunks of one byte
 * would need more than 100 times the memory of the bytes, because each chunk is an object.
 */
export class ChunkList {
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #byteLength = 0;
  /** The number of small chunks at the end of the list. */
  #smallChunks = 0;

  get byteLength(): number {
    return this.#byteLength;
  }

  /** Adds a chunk, whose bytes must not change afterwards. */
  push(bytes: Uint8Array<ArrayBuffer>): void {
    this.#byteLength += bytes.length;
    // A part of a large buffer would keep the memory of the whole buffer.
    this.#chunks.push(bytes.length * 2 < bytes.buffer.byteLength ? Uint8Array.from(bytes) : bytes);
    this.#smallChunks = bytes.length < SMALL_CHUNK_BYTES ? this.#smallChunks + 1 : 0;
    if (this.#smallChunks < JOINED_CHUNKS) return;
    this.#smallChunks = 0;
    this.#chunks.push(Buffer.concat(this.#chunks.splice(-JOINED_CHUNKS)));
  }

  /** Returns the bytes in the order of their arrival, and empties the list. */
  takeAll(): Uint8Array<ArrayBuffer>[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#byteLength = this.#smallChunks = 0;
    return chunks;
  }
}
