import type { Limits } from "@anyscheme/core";
import { limitError, type ByteSource } from "@anyscheme/core/plugin";

/**
 * Counts the bytes received for one resource over all its requests. Limits the bytes that yield no content: interim
 * responses, chunk sizes and extensions, trailers, and compressed data with empty output.
 */
export class ReceivedBytes {
  readonly #limits: Limits;
  #max = Infinity;
  #total = 0;
  #withoutContent = 0;
  #compressed = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** The bytes that decompressors have consumed. */
  get compressed(): number {
    return this.#compressed;
  }

  /** Sets the maximum of all received bytes. */
  setMax(maxBytes: number): void {
    this.#max = maxBytes;
  }

  /** Counts bytes that frame the body. Throws `limit`. */
  addFraming(count: number): void {
    this.#withoutContent += count;
    if (this.#withoutContent > this.#limits.maxBytesWithoutContent) throw this.#withoutContentError();
    this.addBody(count);
  }

  /** Counts received bytes of the body. Throws `limit`. */
  addBody(count: number): void {
    this.#total += count;
    if (this.#total > this.#max)
      throw limitError(
        "maxEncodedRatio",
        this.#limits,
        `the server has sent ${this.#total} bytes for a body`,
      );
  }

  /**
   * Counts bytes for a decompressor. Returns the number of bytes that it may consume now, at least 1. Throws
   * `limit`.
   */
  addCompressed(count: number): number {
    const allowed = Math.min(count, this.#limits.maxBytesWithoutContent - this.#withoutContent);
    if (allowed < 1) throw this.#withoutContentError();
    this.#withoutContent += allowed;
    this.#compressed += allowed;
    return allowed;
  }

  /** Subtracts bytes that a decompressor did not consume. */
  subtractCompressed(count: number): void {
    this.#withoutContent = Math.max(0, this.#withoutContent - count);
    this.#compressed -= count;
  }

  /** Notes that the received bytes have yielded content. */
  noteContent(): void {
    this.#withoutContent = 0;
  }

  #withoutContentError(): Error {
    return limitError("maxBytesWithoutContent", this.#limits, "the server sends bytes without content");
  }
}

/** Returns a source that notes each chunk as content. */
export function countContent(source: ByteSource, received: ReceivedBytes): ByteSource {
  return {
    read: (onChunk) =>
      source.read((bytes) => {
        received.noteContent();
        return onChunk(bytes);
      }),
    cancel: () => source.cancel(),
  };
}
