import { TextDecoder } from "node:util";

/** The line and the column of a character, counted from 1 as in editors. */
export interface TextPosition {
  /** The line number. Lines end with LF. */
  readonly line: number;
  /** The column, which counts characters. Invalid UTF-8 counts as U+FFFD. */
  readonly column: number;
}

const LF = 0x0a;

/**
 * The last part of a text that arrives in chunks, with the line and the column of its bytes. The tracker drops older
 * parts of the text, so that it needs little memory.
 */
export class LineAndColumnTracker {
  readonly #keepBytes: number;
  readonly #decoder: TextDecoder = new TextDecoder();
  /** The buffer with the last part of the text. Only the first `#length` bytes of the buffer are in use. */
  #buffer: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #length = 0;
  /** The offset of the first byte of the buffer in the whole text. */
  #start = 0;
  /** The offset in the whole text up to which lines and columns have been counted. */
  #countedTo = 0;
  #line = 1;
  #column = 1;

  /** Creates an empty tracker. The tracker retains at least the last `keepBytes` bytes and the last chunk. */
  constructor(keepBytes: number) {
    this.#keepBytes = keepBytes;
  }

  append(chunk: Uint8Array): void {
    if (this.#length + chunk.length > this.#buffer.length) this.#makeSpace(chunk.length);
    this.#buffer.set(chunk, this.#length);
    this.#length += chunk.length;
  }

  /**
   * Returns the bytes from the offset `index` in the whole text. The returned bytes are valid only until the next call
   * of `append`.
   */
  getBytes(index: number, length: number): Uint8Array {
    const from = index - this.#start;
    return this.#buffer.subarray(from, from + length);
  }

  /**
   * Returns the line and the column of the character at the given byte offset. Each call needs an offset that is not
   * below the previous offset.
   */
  getPosition(index: number): TextPosition {
    this.#countTo(index, { stream: false });
    return { line: this.#line, column: this.#column };
  }

  /**
   * Counts lines and columns up to `end`. If `stream` is true, an incomplete UTF-8 character at `end` is counted
   * by the next call.
   */
  #countTo(end: number, options: { readonly stream: boolean }): void {
    if (end < this.#countedTo) return;
    const bytes = this.getBytes(this.#countedTo, end - this.#countedTo);
    let lineStart = 0;
    for (let lineEnd = bytes.indexOf(LF); lineEnd >= 0; lineEnd = bytes.indexOf(LF, lineStart)) {
      this.#line++;
      lineStart = lineEnd + 1;
    }
    if (lineStart > 0) {
      this.#column = 1;
      this.#decoder.decode();
    }
    this.#column += countCharacters(this.#decoder.decode(bytes.subarray(lineStart), options));
    this.#countedTo = end;
  }

  /** Drops old bytes from the buffer, and enlarges the buffer if the chunk still does not fit. */
  #makeSpace(chunkLength: number): void {
    const kept = Math.min(this.#length, this.#keepBytes);
    const dropped = this.#length - kept;
    this.#countTo(this.#start + dropped, { stream: true });
    const bytes = this.#buffer.subarray(dropped, this.#length);
    const needed = kept + chunkLength;
    if (needed > this.#buffer.length) this.#buffer = new Uint8Array(2 * needed);
    this.#buffer.set(bytes);
    this.#start += dropped;
    this.#length = kept;
  }
}

/** Returns the number of characters in a text. A surrogate pair counts as one character. */
function countCharacters(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff]/g)?.length ?? 0);
}
