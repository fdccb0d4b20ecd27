import { TextDecoder } from "node:util";

/** A position in a text, counted from 1 as in editors. */
export interface TextPosition {
  /** Lines end with LF. */
  readonly line: number;
  /** Counts characters. Invalid UTF-8 counts as U+FFFD. */
  readonly column: number;
}

const LF = 0x0a;

/** The last part of a text in chunks, with the line and column of its bytes. The memory is limited. */
export class SourceText {
  readonly #keepBytes: number;
  readonly #decoder: TextDecoder = new TextDecoder();
  /** The first `#length` bytes are the text; the other bytes are unused. */
  #buffer: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #length = 0;
  /** The offset in the text of the first byte of the buffer. */
  #start = 0;
  /** Lines and columns are counted up to this offset. */
  #countedTo = 0;
  #line = 1;
  #column = 1;

  /** Creates a text that retains at least the last `keepBytes` bytes and the last chunk. */
  constructor(keepBytes: number) {
    this.#keepBytes = keepBytes;
  }

  append(chunk: Uint8Array): void {
    if (this.#length + chunk.length > this.#buffer.length) this.#makeSpace(chunk.length);
    this.#buffer.set(chunk, this.#length);
    this.#length += chunk.length;
  }

  /** Returns a view of bytes, valid until the next append. `index` is an offset in the whole text. */
  getBytes(index: number, length: number): Uint8Array {
    const from = index - this.#start;
    return this.#buffer.subarray(from, from + length);
  }

  /** Returns the position of the character at this offset. Offsets must ascend from call to call. */
  positionOf(index: number): TextPosition {
    this.#countTo(index, { stream: false });
    return { line: this.#line, column: this.#column };
  }

  /** Counts lines and columns up to `end`. If `stream` is set, an incomplete character at `end` is counted later. */
  #countTo(end: number, options: { readonly stream: boolean }): void {
    if (end < this.#countedTo) return;
    const getBytes = this.getBytes(this.#countedTo, end - this.#countedTo);
    let lineStart = 0;
    for (let lineEnd = getBytes.indexOf(LF); lineEnd >= 0; lineEnd = getBytes.indexOf(LF, lineStart)) {
      this.#line++;
      lineStart = lineEnd + 1;
    }
    if (lineStart > 0) {
      this.#column = 1;
      this.#decoder.decode();
    }
    this.#column += countCharacters(this.#decoder.decode(getBytes.subarray(lineStart), options));
    this.#countedTo = end;
  }

  /** Drops old bytes, and grows the buffer when the chunk still does not fit. */
  #makeSpace(chunkLength: number): void {
    const kept = Math.min(this.#length, this.#keepBytes);
    const dropped = this.#length - kept;
    this.#countTo(this.#start + dropped, { stream: true });
    const getBytes = this.#buffer.subarray(dropped, this.#length);
    const needed = kept + chunkLength;
    if (needed > this.#buffer.length) this.#buffer = new Uint8Array(2 * needed);
    this.#buffer.set(getBytes);
    this.#start += dropped;
    this.#length = kept;
  }
}

/** Returns the number of characters, each of one or two UTF-16 units. */
function countCharacters(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff]/g)?.length ?? 0);
}
