import { AccessError } from "@anyscheme/core";
import { asBuffer } from "../charset.ts";
import { encodeCompressed, MAX_COMPRESSED } from "./compressed.ts";

/** A fault of what the server sent; `offset` counts from the beginning of the APDU. */
export function malformedError(what: string, offset: number): AccessError {
  return new AccessError("protocol", `the server's answer is malformed: ${what} at byte ${offset}`);
}

/**
 * Walks over tagged elements (tag, length, bytes) in order. Reads nothing twice, copies nothing, and never goes past the end
 * that it was given. Throws `protocol` for whatever would.
 */
export class ElementReader {
  readonly #bytes: Uint8Array;
  /** The same bytes, as what can be read as text in place. */
  readonly #buffer: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length, buffer: Buffer = asBuffer(bytes)) {
    this.#bytes = bytes;
    this.#buffer = buffer;
    this.#at = start;
    this.#end = end;
  }

  /** The tag of the next element, or -1 behind the last one. Its content has to be taken by one of the methods below. */
  nextTag(): number {
    return this.#at < this.#end ? this.#compressed() : -1;
  }

  /** The content of the element, a view of the bytes. */
  content(): Uint8Array {
    const start = this.#open();
    return this.#bytes.subarray(start, this.#at);
  }

  /** The content as text of one character for each byte. */
  latin1(): string {
    const start = this.#open();
    return this.#buffer.toString("latin1", start, this.#at);
  }

  skip(): void {
    this.#open();
  }

  /** The elements that the element is made of. */
  children(): ElementReader {
    const start = this.#open();
    return new ElementReader(this.#bytes, start, this.#at, this.#buffer);
  }

  /** The content as a big-endian binary integer of one to four bytes, without a sign. */
  number(): number {
    const start = this.#open();
    const size = this.#at - start;
    if (size < 1 || size > 4) throw malformedError(`a number of ${size} bytes`, start);
    let value = 0;
    for (let index = start; index < this.#at; index++) value = value * 256 + (this.#bytes[index] ?? 0);
    return value;
  }

  /** The content of a diagnostic record: behind a length of two bytes, and before a final 0x1D that the length leaves out. */
  diagnosticRecord(): Uint8Array {
    const start = this.#at + 2;
    const length = this.#at + 2 <= this.#end ? this.#byte(this.#at) * 256 + this.#byte(this.#at + 1) : 0;
    const end = start + length;
    if (end + 1 > this.#end)
      throw malformedError("a diagnostic record that is longer than its answer", this.#at);
    if (this.#byte(end) !== 0x1d) throw malformedError("a diagnostic record without its end", end);
    this.#at = end + 1;
    return this.#bytes.subarray(start, end);
  }

  /** Reads the length; returns where the content begins, and goes on behind it. */
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

/** One element. */
export function encodeElement(tag: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([
    Uint8Array.from([...encodeCompressed(tag), ...encodeCompressed(content.length)]),
    content,
  ]);
}

/** An element whose content is text of US-ASCII. */
export function encodeTextElement(tag: number, text: string): Uint8Array {
  return encodeElement(tag, Buffer.from(text, "latin1"));
}

/** An element whose content is a number from 0 to 2^32 - 1, in the fewest bytes. */
export function encodeNumberElement(tag: number, value: number): Uint8Array {
  const bytes = [value % 256];
  for (let rest = Math.floor(value / 256); rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return encodeElement(tag, Uint8Array.from(bytes));
}
