import { TextDecoder } from "node:util";

/** A place in a text as people and editors count, from 1. */
export interface Position {
  /** Lines end with LF. */
  readonly line: number;
  /** In characters, with U+FFFD in the place of what is no UTF-8. */
  readonly column: number;
}

const LF = 0x0a;

/**
 * The latest stretch of a text that comes in pieces, and where its bytes stand in lines. Memory is that of the stretch to be
 * kept and of two pieces.
 */
export class SourceText {
  readonly #keepBytes: number;
  readonly #decoder: TextDecoder = new TextDecoder();
  /** Holds the bytes of the stretch first, and room for more. */
  #buffer: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #length = 0;
  /** The index of the first byte of the stretch in the text. */
  #start = 0;
  /** How far lines and characters have been counted. */
  #counted = 0;
  #line = 1;
  #column = 1;

  /** Keeps at least the last `kept` bytes, and the latest piece as a whole. */
  constructor(kept: number) {
    this.#keepBytes = kept;
  }

  append(piece: Uint8Array): void {
    if (this.#length + piece.length > this.#buffer.length) this.#grow(piece.length);
    this.#buffer.set(piece, this.#length);
    this.#length += piece.length;
  }

  /** A view of the bytes, good until more are appended; `index` counts from the beginning of the text. */
  bytes(index: number, length: number): Uint8Array {
    const from = index - this.#start;
    return this.#buffer.subarray(from, from + length);
  }

  /** Where a character stands that begins with this byte. To be asked in the order of the text. */
  positionOf(index: number): Position {
    this.#count(index, { stream: false });
    return { line: this.#line, column: this.#column };
  }

  /** With `stream`, the end may lie within a character, which is then counted later. */
  #count(end: number, options: { readonly stream: boolean }): void {
    if (end < this.#counted) return;
    const bytes = this.bytes(this.#counted, end - this.#counted);
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
    this.#counted = end;
  }

  #grow(length: number): void {
    const kept = Math.min(this.#length, this.#keepBytes);
    const forgotten = this.#length - kept;
    this.#count(this.#start + forgotten, { stream: true });
    const bytes = this.#buffer.subarray(forgotten, this.#length);
    const needed = kept + length;
    if (needed > this.#buffer.length) {
      const room = new Uint8Array(2 * needed);
      room.set(bytes);
      this.#buffer = room;
    } else {
      this.#buffer.set(bytes);
    }
    this.#start += forgotten;
    this.#length = kept;
  }
}

/** The number of characters, each of one or two UTF-16 units. */
function countCharacters(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff]/g)?.length ?? 0);
}
