/** Collects the chunks of a body. */
export class ChunkCollector {
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #length = 0;

  /** Copies the bytes: the source reuses its buffer. */
  append(bytes: Uint8Array): void {
    this.#chunks.push(new Uint8Array(bytes));
    this.#length += bytes.length;
  }

  chunks(): Uint8Array<ArrayBuffer>[] {
    return this.#chunks;
  }

  /** Returns all bytes in an array of their own. */
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
