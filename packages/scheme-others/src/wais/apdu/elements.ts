import { AccessError } from "@anyscheme/core";
import { bytesToLatin1 } from "@anyscheme/core/plugin";
import { WAIS_ELEMENT_TAGS } from "./element-tags.ts";

/** The largest compressed integer, which has four bytes of seven bits. */
const MAX_COMPRESSED_INTEGER = 2 ** 28 - 1;

const HIGHEST_KNOWN_TAG = WAIS_ELEMENT_TAGS.CODES_GROUP;

const DIAGNOSTIC_RECORD_TERMINATOR = 0x1d;

/**
 * An element of a WAIS APDU to encode. The content of a WAIS element is bytes, US-ASCII text, or a number from 0 to
 * 2^32 - 1.
 */
export type ApduElementInit = readonly [tag: number, content: Uint8Array | string | number | undefined];

/** Encodes the elements of a WAIS APDU (tag, length, content) in order. Omits elements without content. */
export function encodeApduElements(elements: readonly ApduElementInit[]): Uint8Array {
  return Buffer.concat(
    elements.flatMap(([tag, content]) => {
      if (content === undefined) return [];
      const bytes = encodeElementContent(content);
      return [
        Uint8Array.from([...encodeCompressedInteger(tag), ...encodeCompressedInteger(bytes.length)]),
        bytes,
      ];
    }),
  );
}

/** Encodes a number in the fewest bytes, the most significant byte first. */
function encodeElementContent(content: Uint8Array | string | number): Uint8Array {
  if (typeof content === "string") return Buffer.from(content, "latin1");
  if (typeof content !== "number") return content;
  const bytes = [content % 256];
  for (let rest = Math.floor(content / 256); rest > 0; rest = Math.floor(rest / 256))
    bytes.unshift(rest % 256);
  return Uint8Array.from(bytes);
}

/**
 * Encodes a number of a WAIS APDU in base 128, the most significant digit first. Bit 7 is set on all bytes of a
 * compressed integer but the last.
 */
export function encodeCompressedInteger(value: number): number[] {
  if (!(value >= 0 && value <= MAX_COMPRESSED_INTEGER))
    throw new RangeError(`${value} is out of the range of compressed integers`);
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

/** Creates the error for a malformed APDU. `offset` counts bytes from the beginning of the APDU. */
export function createMalformedApduError(reason: string, offset: number): AccessError {
  return new AccessError("protocol", `the server's response is malformed: ${reason} at byte ${offset}`);
}

/** An element of an APDU. The content of an element is decoded on access. */
export class ApduElement {
  readonly tag: number;
  readonly #apdu: Uint8Array;
  readonly #start: number;
  readonly #end: number;

  constructor(tag: number, apdu: Uint8Array, start: number, end: number) {
    this.tag = tag;
    this.#apdu = apdu;
    this.#start = start;
    this.#end = end;
  }

  /** The content of the APDU element, which shares the memory of the APDU. */
  get bytes(): Uint8Array {
    return this.#apdu.subarray(this.#start, this.#end);
  }

  /** The content of the APDU element as text with one character per byte. */
  get latin1(): string {
    return bytesToLatin1(this.bytes);
  }

  /**
   * The content as an unsigned big-endian integer of one to four bytes. Throws `protocol` if the APDU element has no
   * content or more than four bytes.
   */
  get number(): number {
    const { bytes } = this;
    if (bytes.length < 1 || bytes.length > 4)
      throw createMalformedApduError(`a number has ${bytes.length} bytes instead of 1 to 4`, this.#start);
    return bytes.reduce((value, byte) => value * 256 + byte, 0);
  }

  /** Yields the elements within this APDU element. */
  children(): Generator<ApduElement> {
    return readApduElements(this.#apdu, this.#start, this.#end);
  }
}

/** Yields the elements of an APDU between two positions. Throws `protocol` for an element beyond the end. */
export function* readApduElements(
  apdu: Uint8Array,
  start: number = 0,
  end: number = apdu.length,
): Generator<ApduElement> {
  let at = start;

  function readCompressedInteger(): number {
    let value = 0;
    for (let next = at; next < end;) {
      const byte = apdu[next++] ?? 0;
      value = value * 128 + (byte & 0x7f);
      if (value > MAX_COMPRESSED_INTEGER)
        throw createMalformedApduError("a tag or length has more than 28 bits", at);
      if (byte >= 0x80) continue;
      at = next;
      return value;
    }
    throw createMalformedApduError("a tag or length is incomplete", at);
  }

  while (at < end) {
    const tag = readCompressedInteger();
    const isDiagnostic = tag === WAIS_ELEMENT_TAGS.DIAGNOSTIC_RECORDS;
    // The length of a diagnostic record has two bytes and does not include the terminator.
    const length = isDiagnostic ? (apdu[at++] ?? 0) * 256 + (apdu[at++] ?? 0) : readCompressedInteger();
    const content = at;
    at += length + (isDiagnostic ? 1 : 0);
    if (at > end) {
      const name = isDiagnostic ? "a diagnostic record" : "an element";
      throw createMalformedApduError(`${name} extends beyond the end of its container`, content);
    }
    if (isDiagnostic && apdu[at - 1] !== DIAGNOSTIC_RECORD_TERMINATOR)
      throw createMalformedApduError("a diagnostic record has no terminator", at - 1);
    yield new ApduElement(tag, apdu, content, content + length);
  }
}

/**
 * Returns the elements of an APDU by tag. Omits unknown tags. The map has the last of several APDU elements with the
 * same tag.
 */
export function indexElementsByTag(elements: Iterable<ApduElement>): ReadonlyMap<number, ApduElement> {
  const index = new Map<number, ApduElement>();
  for (const element of elements) if (element.tag <= HIGHEST_KNOWN_TAG) index.set(element.tag, element);
  return index;
}
