import type { ByteSource, Completeness } from "@anyscheme/core/plugin";

const LF = 0x0a;
const CR = 0x0d;
const DOT = 0x2e;
const NOTHING = new Uint8Array(0);

export interface DottedOptions {
  /**
   * `"close"`: a line of one dot is the end when nothing follows it, since most servers do not double the dots of their texts.
   * `"dot"`: the first such line that ends with CR LF is the end.
   */
  readonly end: "close" | "dot";
  /** Whether ".." at the beginning of a line stands for ".". */
  readonly undouble: boolean;
}

/**
 * Takes the final line of one dot off a text, whatever pieces it arrives in. Holds back at most the three bytes that may
 * turn out to be it. RFC 1436, Appendix: "Lines beginning with periods must be prepended with an extra period".
 */
export class DotCutter {
  readonly #options: DottedOptions;
  #held: Uint8Array = NOTHING;
  #atLineStart = true;
  #dotSeen = false;

  constructor(options: DottedOptions) {
    this.#options = options;
  }

  /** Whether the final dot has been seen; `push` need not be called any more. */
  get dotSeen(): boolean {
    return this.#dotSeen;
  }

  /** What of the text is certain now. */
  push(piece: Uint8Array): Uint8Array {
    if (this.#dotSeen) return NOTHING;
    const bytes = this.#held.length > 0 ? Buffer.concat([this.#held, piece]) : piece;
    if (bytes.length === 0) return NOTHING;
    const dot = this.#options.end === "dot" ? dotLine(bytes, this.#atLineStart) : -1;
    this.#dotSeen = dot >= 0;
    const end = this.#dotSeen ? dot : lastLineMayBeDot(bytes, this.#atLineStart);
    this.#held = this.#dotSeen ? NOTHING : new Uint8Array(bytes.subarray(end));
    return this.#text(bytes.subarray(0, end));
  }

  /** At the end of the bytes: what is left of the text. */
  end(): Uint8Array {
    const held = this.#held;
    this.#held = NOTHING;
    this.#dotSeen ||= held.at(-1) === LF;
    return this.#dotSeen ? NOTHING : held;
  }

  #text(bytes: Uint8Array): Uint8Array {
    const text = this.#options.undouble ? undoubled(bytes, this.#atLineStart) : bytes;
    if (bytes.length > 0) this.#atLineStart = bytes.at(-1) === LF;
    return text;
  }
}

/** Where a line of one dot and CR LF begins, or -1. */
function dotLine(bytes: Uint8Array, atLineStart: boolean): number {
  if (atLineStart && bytes[0] === DOT && bytes[1] === CR && bytes[2] === LF) return 0;
  const found = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf("\n.\r\n");
  return found < 0 ? -1 : found + 1;
}

/** Where the last line begins if it is a dot so far, with or without its line end; else the length of the bytes. */
function lastLineMayBeDot(bytes: Uint8Array, atLineStart: boolean): number {
  const { length } = bytes;
  let dot = length - 1;
  if (bytes[dot] === LF) dot--;
  if (bytes[dot] === CR) dot--;
  if (bytes[dot] !== DOT) return length;
  const begins = dot === 0 ? atLineStart : bytes[dot - 1] === LF;
  return begins ? dot : length;
}

function undoubled(bytes: Uint8Array, atLineStart: boolean): Uint8Array {
  const parts: Uint8Array[] = [];
  let start = atLineStart && bytes[0] === DOT && bytes[1] === DOT ? 1 : 0;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let found = text.indexOf("\n..", start); found >= 0; found = text.indexOf("\n..", start)) {
    parts.push(bytes.subarray(start, found + 1));
    start = found + 2;
  }
  return parts.length === 0 ? bytes.subarray(start) : Buffer.concat([...parts, bytes.subarray(start)]);
}

/** A text without its final dot, and what its end was worth. */
export interface DottedSource extends ByteSource {
  /** After the end: `"verified"` when the text ended with its dot. */
  readonly completeness: Completeness;
}

/** The bytes of a source up to the final dot. */
export function dotted(source: ByteSource, options: DottedOptions): DottedSource {
  const cutter = new DotCutter(options);
  let ended = false;
  return {
    get completeness() {
      return cutter.dotSeen ? "verified" : "unverified";
    },
    async read(take) {
      if (ended) return "end";
      let more = true;
      const pass = (bytes: Uint8Array): void => {
        if (bytes.length > 0) more = take(bytes);
      };
      const state = await source.read((bytes) => {
        pass(cutter.push(bytes));
        return more && !cutter.dotSeen;
      });
      if (state === "end") pass(cutter.end());
      ended = state === "end" || cutter.dotSeen;
      return ended && more ? "end" : "more";
    },
    cancel: () => source.cancel(),
  };
}
