import { asBuffer } from "@anyscheme/core/plugin";
import { AccessError } from "@anyscheme/core";

/** The largest compressed integer, which has four bytes of seven bits. */
const MAX_COMPRESSED = 2 ** 28 - 1;

/** Encodes a number in base 128, the most significant digit first. Bit 7 is set on all bytes but the last. */
export function encodeCompressed(value: number): number[] {
  if (!(value >= 0 && value <= MAX_COMPRESSED)) throw new RangeError(`${value} is no compressed integer`);
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

/** Creates the error for a malformed APDU. `offset` counts bytes from the beginning of the APDU. */
export function malformedError(reason: string, offset: number): AccessError {
  return new AccessError("protocol", `the server's response is malformed: ${reason} at byte ${offset}`);
}

/**
 * Reads tagged elements (tag, length, bytes) in order, without copying them. Throws `protocol` for an element
 * beyond the end.
 */
export class ElementReader {
  readonly #bytes: Uint8Array;
  /** A Buffer with the same memory as `#bytes`. */
  readonly #buffer: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length, buffer: Buffer = asBuffer(bytes)) {
    this.#bytes = bytes;
    this.#buffer = buffer;
    this.#at = start;
    this.#end = end;
  }

  /**
   * Returns the tag of the next element, or -1 at the end. The caller must then read the content with a method
   * below.
   */
  nextTag(): number {
    return this.#at < this.#end ? this.#compressed() : -1;
  }

  /** Reads the content of the element, without copying. */
  content(): Uint8Array {
    const start = this.#open();
    return this.#bytes.subarray(start, this.#at);
  }

  /** Reads the content as text with one character per byte. */
  latin1(): string {
    const start = this.#open();
    return this.#buffer.toString("latin1", start, this.#at);
  }

  skip(): void {
    this.#open();
  }

  /** Returns a reader for the elements within the element. */
  children(): ElementReader {
    const start = this.#open();
    return new ElementReader(this.#bytes, start, this.#at, this.#buffer);
  }

  /** Reads the content as an unsigned big-endian integer of one to four bytes. */
  number(): number {
    const start = this.#open();
    const size = this.#at - start;
    if (size < 1 || size > 4) throw malformedError(`a number of ${size} bytes`, start);
    let value = 0;
    for (let index = start; index < this.#at; index++) value = value * 256 + (this.#bytes[index] ?? 0);
    return value;
  }

  /**
   * Reads the content of a diagnostic record. The length of the record has two bytes and does not include the final
   * 0x1D.
   */
  diagnosticRecord(): Uint8Array {
    const start = this.#at + 2;
    const length = this.#at + 2 <= this.#end ? this.#byte(this.#at) * 256 + this.#byte(this.#at + 1) : 0;
    const end = start + length;
    if (end + 1 > this.#end)
      throw malformedError("a diagnostic record that is longer than its response", this.#at);
    if (this.#byte(end) !== 0x1d) throw malformedError("a diagnostic record without its end", end);
    this.#at = end + 1;
    return this.#bytes.subarray(start, end);
  }

  /** Reads the length of the content and skips the content. Returns the position of the content. */
  #open(): number {
    const length = this.#compressed();
    const start = this.#at;
    if (length > this.#end - start)
      throw malformedError("an element that is longer than what it is part of", start);
    this.#at = start + length;
    return start;
  }

  #compressed(): number {
    let value = 0;
    for (let at = this.#at; at < this.#end; at++) {
      const byte = this.#byte(at);
      value = value * 128 + (byte & 0x7f);
      if (value > MAX_COMPRESSED) throw malformedError("a tag or length of more than 28 bits", this.#at);
      if (byte < 0x80) {
        this.#at = at + 1;
        return value;
      }
    }
    throw malformedError("a tag or length without its end", this.#at);
  }

  #byte(at: number): number {
    return this.#bytes[at] ?? 0;
  }
}

/** Encodes an element. */
export function encodeElement(tag: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([
    Uint8Array.from([...encodeCompressed(tag), ...encodeCompressed(content.length)]),
    content,
  ]);
}

/** Encodes an element whose content is US-ASCII text. */
export function encodeTextElement(tag: number, text: string): Uint8Array {
  return encodeElement(tag, Buffer.from(text, "latin1"));
}

/** Encodes an element with a number from 0 to 2^32 - 1, in the fewest bytes. */
export function encodeNumberElement(tag: number, value: number): Uint8Array {
  const bytes = [value % 256];
  for (let rest = Math.floor(value / 256); rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return encodeElement(tag, Uint8Array.from(bytes));
}
