import { isUtf8 } from "node:buffer";

/** How octets become text. */
export type Decode = (octets: Uint8Array) => string;

/** Octets of unknown charset as text: UTF-8 when they are valid UTF-8, else Latin-1, the charset of RFC 1436. */
export const textOf: Decode = (octets) => bufferOf(octets).toString(isUtf8(octets) ? "utf8" : "latin1");

/** How octets of this charset become text; without one, as {@link textOf} does. Throws `TypeError` for a charset that is not known. */
export function decoderOf(charset: string | undefined): Decode {
  if (charset === undefined) return textOf;
  try {
    const decoder = new TextDecoder(charset);
    return (octets) => decoder.decode(octets);
  } catch (cause) {
    throw new TypeError(`there is no charset named ${charset}`, { cause });
  }
}

/** The same on one line, for messages: control characters become blanks. */
export function wordsOf(octets: Uint8Array): string {
  return textOf(octets)
    .replace(/[\x00-\x20\x7f-\x9f]+/g, " ")
    .trim();
}

/** Octets as a string of one character for each, to be taken apart as text. */
export function latin1Of(octets: Uint8Array): string {
  return bufferOf(octets).toString("latin1");
}

/** The octets of such a string. */
export function octetsOf(latin1: string): Uint8Array {
  return Buffer.from(latin1, "latin1");
}

/** The text of such a string. */
export function decoded(latin1: string, decode: Decode = textOf): string {
  // Nearly all is US-ASCII, which some other charsets read in another way.
  if (decode === textOf && !/[\x80-\xff]/.test(latin1)) return latin1;
  return decode(octetsOf(latin1));
}

function bufferOf(octets: Uint8Array): Buffer {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
}
