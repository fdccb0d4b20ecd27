/**
 * A set of characters, for the search for URLs in a text. The set contains either all or none of the characters beyond
 * US-ASCII.
 */
export interface CodeUnitSet {
  /** A sticky regular expression that matches the longest run of characters of the set at `lastIndex`. */
  readonly longestRunPattern: RegExp;
  /** A table with the value 1 for each byte in the set. */
  readonly byteTable: Uint8Array;
}

/** Creates a set of characters from the contents of a bracket expression of a regular expression. */
export function createCodeUnitSet(...parts: readonly string[]): CodeUnitSet {
  const listed = parts.join("");
  const one = new RegExp(`[${listed}]`);
  let bytes: Uint8Array | undefined;
  return {
    longestRunPattern: new RegExp(`[${listed}]*`, "y"),
    get byteTable() {
      const holds = (_: unknown, code: number): number => Number(one.test(String.fromCharCode(code)));
      return (bytes ??= Uint8Array.from({ length: 0x100 }, holds));
    },
  };
}

/**
 * The part of a streamed text that a search has in memory. The units of the window are UTF-16 code units of a string,
 * or bytes of UTF-8.
 */
export interface StreamedTextWindow<Chunk = string | Uint8Array> {
  readonly length: number;
  /**
   * Returns the UTF-16 code unit or the UTF-8 byte at an index of the window. Returns 0 or NaN for an index outside the
   * window.
   */
  codeUnitAt(index: number): number;
  /** Returns the index of the next colon or "<" at or after `from`, or -1. */
  indexOfColonOrLessThan(mark: ":" | "<", from: number): number;
  /** Returns the index of the first unit at or after `from` that is not in the set. */
  skipCharactersOf(some: CodeUnitSet, from: number): number;
  /** Returns the text between two indices of the window. Invalid UTF-8 becomes U+FFFD. */
  textBetween(start: number, end: number): string;
  /** Returns the length of a text in UTF-16 code units or bytes. */
  encodedLength(text: string): number;
  append(chunk: Chunk): void;
  /** Removes the first `count` units of the window. */
  dropFirstUnits(count: number): void;
}

export class StreamedUtf16TextWindow implements StreamedTextWindow<string> {
  #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get length(): number {
    return this.#text.length;
  }

  codeUnitAt(index: number): number {
    return this.#text.charCodeAt(index);
  }

  indexOfColonOrLessThan(mark: ":" | "<", from: number): number {
    return this.#text.indexOf(mark, from);
  }

  skipCharactersOf({ longestRunPattern }: CodeUnitSet, from: number): number {
    longestRunPattern.lastIndex = from;
    longestRunPattern.test(this.#text);
    return longestRunPattern.lastIndex;
  }

  textBetween(start: number, end: number): string {
    return this.#text.slice(start, end);
  }

  encodedLength(text: string): number {
    return text.length;
  }

  append(chunk: string): void {
    this.#text += chunk;
  }

  dropFirstUnits(count: number): void {
    this.#text = this.textBetween(count, this.length);
  }
}

/** A window of UTF-8 bytes. Only bytes that may belong to a URL are decoded. */
export class StreamedUtf8TextWindow implements StreamedTextWindow<Uint8Array> {
  readonly #decoder: TextDecoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #bytes: Uint8Array;
  /** The buffer that holds the bytes of the window, reused for each chunk. */
  #buffer: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = this.#buffer = bytes;
  }

  get length(): number {
    return this.#bytes.length;
  }

  codeUnitAt(index: number): number {
    return this.#bytes[index] ?? 0;
  }

  indexOfColonOrLessThan(mark: ":" | "<", from: number): number {
    return this.#bytes.indexOf(mark.charCodeAt(0), from);
  }

  skipCharactersOf(some: CodeUnitSet, from: number): number {
    const bytes = this.#bytes;
    const { byteTable } = some;
    let index = from;
    while (index < bytes.length && byteTable[bytes[index] ?? 0] === 1) index++;
    return index;
  }

  textBetween(start: number, end: number): string {
    return this.#decoder.decode(this.#bytes.subarray(start, end));
  }

  encodedLength(text: string): number {
    return new TextEncoder().encode(text).length;
  }

  append(chunk: Uint8Array): void {
    const { length } = this;
    const end = length + chunk.length;
    if (end > this.#buffer.length) {
      this.#buffer = new Uint8Array(end);
      this.#buffer.set(this.#bytes);
    }
    this.#buffer.set(chunk, length);
    this.#bytes = this.#buffer.subarray(0, end);
  }

  dropFirstUnits(count: number): void {
    this.#buffer.copyWithin(0, count, this.length);
    this.#bytes = this.#buffer.subarray(0, this.length - count);
  }
}
