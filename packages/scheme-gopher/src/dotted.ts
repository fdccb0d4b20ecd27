import type { Completeness, ByteSource } from "@anyscheme/core";

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
 * Takes the final line of one dot off a text, whatever pieces it arrives in. Holds back at most the three octets that may
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
    const octets = this.#held.length > 0 ? Buffer.concat([this.#held, piece]) : piece;
    if (octets.length === 0) return NOTHING;
    const dot = this.#options.end === "dot" ? dotLine(octets, this.#atLineStart) : -1;
    this.#dotSeen = dot >= 0;
    const end = this.#dotSeen ? dot : lastLineMayBeDot(octets, this.#atLineStart);
    this.#held = this.#dotSeen ? NOTHING : new Uint8Array(octets.subarray(end));
    return this.#text(octets.subarray(0, end));
  }

  /** At the end of the octets: what is left of the text. */
  end(): Uint8Array {
    const held = this.#held;
    this.#held = NOTHING;
    this.#dotSeen ||= held.at(-1) === LF;
    return this.#dotSeen ? NOTHING : held;
  }

  #text(octets: Uint8Array): Uint8Array {
    const text = this.#options.undouble ? undoubled(octets, this.#atLineStart) : octets;
    if (octets.length > 0) this.#atLineStart = octets.at(-1) === LF;
    return text;
  }
}

/** Where a line of one dot and CR LF begins, or -1. */
function dotLine(octets: Uint8Array, atLineStart: boolean): number {
  if (atLineStart && octets[0] === DOT && octets[1] === CR && octets[2] === LF) return 0;
  const found = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).indexOf("\n.\r\n");
  return found < 0 ? -1 : found + 1;
}

/** Where the last line begins if it is a dot so far, with or without its line end; else the length of the octets. */
function lastLineMayBeDot(octets: Uint8Array, atLineStart: boolean): number {
  const { length } = octets;
  let dot = length - 1;
  if (octets[dot] === LF) dot--;
  if (octets[dot] === CR) dot--;
  if (octets[dot] !== DOT) return length;
  const begins = dot === 0 ? atLineStart : octets[dot - 1] === LF;
  return begins ? dot : length;
}

function undoubled(octets: Uint8Array, atLineStart: boolean): Uint8Array {
  const parts: Uint8Array[] = [];
  let start = atLineStart && octets[0] === DOT && octets[1] === DOT ? 1 : 0;
  const text = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
  for (let found = text.indexOf("\n..", start); found >= 0; found = text.indexOf("\n..", start)) {
    parts.push(octets.subarray(start, found + 1));
    start = found + 2;
  }
  return parts.length === 0 ? octets.subarray(start) : Buffer.concat([...parts, octets.subarray(start)]);
}

/** A text without its final dot, and what its end was worth. */
export interface DottedSource extends ByteSource {
  /** After the end: `"verified"` when the text ended with its dot. */
  readonly completeness: Completeness;
}

/** The octets of a source up to the final dot. */
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
      const pass = (octets: Uint8Array): void => {
        if (octets.length > 0) more = take(octets);
      };
      const state = await source.read((octets) => {
        pass(cutter.push(octets));
        return more && !cutter.dotSeen;
      });
      if (state === "end") pass(cutter.end());
      ended = state === "end" || cutter.dotSeen;
      return ended && more ? "end" : "more";
    },
    cancel: () => source.cancel(),
  };
}
