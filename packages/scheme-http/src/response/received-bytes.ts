import type { Limits } from "@anyscheme/core";
import { limitError, type ByteSource } from "@anyscheme/core/plugin";

/**
 * Counts the bytes received for one content, those included that yield none: interim responses, chunk sizes and extensions,
 * trailers, and codings whose output is empty. A request that is sent again counts on.
 */
export class ReceivedBytes {
  readonly #limits: Limits;
  #most = Infinity;
  #total = 0;
  #withoutContent = 0;
  #coded = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** The bytes that a decoder has taken. */
  get decodedInput(): number {
    return this.#coded;
  }

  /** Sets how many bytes may be received in all. */
  setMax(maxBytes: number): void {
    this.#most = maxBytes;
  }

  /** Counts bytes that frame the content. Throws `limit`. */
  addFraming(count: number): void {
    this.#withoutContent += count;
    if (this.#withoutContent > this.#limits.maxBytesWithoutContent) throw this.#noContent();
    this.addBody(count);
  }

  /** Counts bytes of the content as it was sent. Throws `limit`. */
  addBody(count: number): void {
    this.#total += count;
    if (this.#total > this.#most)
      throw limitError(
        "maxEncodedRatio",
        this.#limits,
        `the server has sent ${this.#total} bytes for a body`,
      );
  }

  /** Returns how many of these bytes a decoder may take now, and counts them; at least one. Throws `limit`. */
  takeForDecoder(count: number): number {
    const most = Math.min(count, this.#limits.maxBytesWithoutContent - this.#withoutContent);
    if (most < 1) throw this.#noContent();
    this.#withoutContent += most;
    this.#coded += most;
    return most;
  }

  /** Takes bytes back that a decoder was given and has left. */
  returnFromDecoder(count: number): void {
    this.#withoutContent = Math.max(0, this.#withoutContent - count);
    this.#coded -= count;
  }

  /** Notes that content has come of what was received. */
  noteContent(): void {
    this.#withoutContent = 0;
  }

  #noContent(): Error {
    return limitError("maxBytesWithoutContent", this.#limits, "the server sends bytes without content");
  }
}

/** The source, each piece of which is noted as content. */
export function noteContentOf(source: ByteSource, received: ReceivedBytes): ByteSource {
  return {
    read: (take) =>
      source.read((bytes) => {
        received.noteContent();
        return take(bytes);
      }),
    cancel: () => source.cancel(),
  };
}
