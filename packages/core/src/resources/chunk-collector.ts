/** Collects the chunks of a body. */
export class ChunkCollector {
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #length = 0;

  /** Appends a copy of the bytes, because the source reuses its buffer. */
  append(bytes: Uint8Array): void {
    this.#chunks.push(new Uint8Array(bytes));
    this.#length += bytes.length;
  }

  chunks(): Uint8Array<ArrayBuffer>[] {
    return this.#chunks;
  }

  /** Returns all bytes in a new array. */
  concat(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.#length);
    let offset = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, offset);
      offset += chunk.length;
    }
    return all;
  }

  release(): void {
    this.#chunks = [];
    this.#length = 0;
  }
}
