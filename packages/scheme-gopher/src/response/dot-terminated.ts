import type { Completeness } from "@anyscheme/core";
import { asBuffer, type ByteSource } from "@anyscheme/core/plugin";

const LF = 0x0a;
const CR = 0x0d;
const DOT_BYTE = 0x2e;
const EMPTY_BYTES = new Uint8Array(0);

export interface DotTerminationOptions {
  /**
   * Selects how the decoder finds the end of a Gopher text. The value `"close"` means that a line with a single dot is
   * the end only if it is the last line, because most servers do not double the dots of their texts. The value `"dot"`
   * means that the first line with a single dot and CR LF is the end.
   */
  readonly textEndsAt: "close" | "dot";
  /** True when ".." at the beginning of a line of a Gopher text means ".". */
  readonly removeDoubledDots: boolean;
}

/**
 * Removes the final line with a single dot from a Gopher text. The decoder of Gopher texts accepts chunks of any size.
 * Holds back at most three bytes, which may be the final line. RFC 1436, Appendix: "Lines beginning with periods must
 * be prepended with an extra period".
 */
export class DotTerminatedDecoder {
  readonly #options: DotTerminationOptions;
  #heldBack: Uint8Array = EMPTY_BYTES;
  #atLineStart = true;
  #dotSeen = false;

  constructor(options: DotTerminationOptions) {
    this.#options = options;
  }

  /** True after the decoder has found the final dot. After the final dot, `push` returns no bytes. */
  get hasFoundFinalDot(): boolean {
    return this.#dotSeen;
  }

  /** Adds a chunk. Returns the bytes that are certainly part of the text. */
  push(chunk: Uint8Array): Uint8Array {
    if (this.#dotSeen) return EMPTY_BYTES;
    const bytes = this.#heldBack.length > 0 ? Buffer.concat([this.#heldBack, chunk]) : chunk;
    if (bytes.length === 0) return EMPTY_BYTES;
    const dot = this.#options.textEndsAt === "dot" ? findLineWithSingleDot(bytes, this.#atLineStart) : -1;
    this.#dotSeen = dot >= 0;
    const end = this.#dotSeen ? dot : findPossibleFinalDot(bytes, this.#atLineStart);
    this.#heldBack = this.#dotSeen ? EMPTY_BYTES : new Uint8Array(bytes.subarray(end));
    return this.#decode(bytes.subarray(0, end));
  }

  /**
   * Returns the bytes at the end of the text that the decoder has held back. Call `end` after the last chunk of the
   * Gopher text.
   */
  end(): Uint8Array {
    const heldBack = this.#heldBack;
    this.#heldBack = EMPTY_BYTES;
    this.#dotSeen ||= heldBack.at(-1) === LF;
    return this.#dotSeen ? EMPTY_BYTES : heldBack;
  }

  #decode(bytes: Uint8Array): Uint8Array {
    const text = this.#options.removeDoubledDots ? replaceDoubledDots(bytes, this.#atLineStart) : bytes;
    if (bytes.length > 0) this.#atLineStart = bytes.at(-1) === LF;
    return text;
  }
}

/** Returns the index of a line with a single dot and CR LF, or -1. */
function findLineWithSingleDot(bytes: Uint8Array, atLineStart: boolean): number {
  if (atLineStart && bytes[0] === DOT_BYTE && bytes[1] === CR && bytes[2] === LF) return 0;
  const found = asBuffer(bytes).indexOf("\n.\r\n");
  return found < 0 ? -1 : found + 1;
}

/** Returns the index of the last line if the line is a single dot so far, or the number of bytes if not. */
function findPossibleFinalDot(bytes: Uint8Array, atLineStart: boolean): number {
  const { length } = bytes;
  let dot = length - 1;
  if (bytes[dot] === LF) dot--;
  if (bytes[dot] === CR) dot--;
  if (bytes[dot] !== DOT_BYTE) return length;
  const beginsLine = dot === 0 ? atLineStart : bytes[dot - 1] === LF;
  return beginsLine ? dot : length;
}

function replaceDoubledDots(bytes: Uint8Array, atLineStart: boolean): Uint8Array {
  const parts: Uint8Array[] = [];
  let start = atLineStart && bytes[0] === DOT_BYTE && bytes[1] === DOT_BYTE ? 1 : 0;
  const text = asBuffer(bytes);
  for (let found = text.indexOf("\n..", start); found >= 0; found = text.indexOf("\n..", start)) {
    parts.push(bytes.subarray(start, found + 1));
    start = found + 2;
  }
  return parts.length === 0 ? bytes.subarray(start) : Buffer.concat([...parts, bytes.subarray(start)]);
}

/**
 * Returns the bytes of a Gopher text up to its final line with a single dot. The completeness is `"verified"` after a
 * final dot.
 */
export function createDotTerminatedSource(
  source: ByteSource,
  options: DotTerminationOptions,
): ByteSource & { readonly completeness: Completeness } {
  const decoder = new DotTerminatedDecoder(options);
  let hasEnded = false;
  return {
    get completeness() {
      return decoder.hasFoundFinalDot ? "verified" : "unverified";
    },
    async readChunks(onChunk) {
      if (hasEnded) return "end";
      let wantsMore = true;
      const pass = (bytes: Uint8Array): void => {
        if (bytes.length > 0) wantsMore = onChunk(bytes);
      };
      const state = await source.readChunks((bytes) => {
        pass(decoder.push(bytes));
        return wantsMore && !decoder.hasFoundFinalDot;
      });
      if (state === "end") pass(decoder.end());
      hasEnded = state === "end" || decoder.hasFoundFinalDot;
      return hasEnded && wantsMore ? "end" : "more";
    },
    cancel: () => source.cancel(),
  };
}
