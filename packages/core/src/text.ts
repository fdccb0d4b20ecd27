import { isUtf8 } from "node:buffer";

/** Octets of unknown charset as text: UTF-8 when they are valid UTF-8, else Latin-1, one character an octet. */
export function decodeUtf8OrLatin1(octets: Uint8Array): string {
  return asBuffer(octets).toString(isUtf8(octets) ? "utf8" : "latin1");
}

/** Octets as a string of one character for each, to be taken apart as text. */
export function bytesToLatin1(octets: Uint8Array): string {
  return asBuffer(octets).toString("latin1");
}

/** The octets of such a string. */
export function latin1ToBytes(latin1: string): Uint8Array {
  return Buffer.from(latin1, "latin1");
}

/** The text of such a string, as {@link decodeUtf8OrLatin1} reads its octets. */
export function latin1ToText(latin1: string): string {
  return /[\x80-\xff]/.test(latin1) ? decodeUtf8OrLatin1(latin1ToBytes(latin1)) : latin1;
}

/** A text on one line, for messages: control characters and blanks in a row become one blank. */
export function toSingleLine(text: string): string {
  return text.replace(/[\x00-\x20\x7f-\x9f]+/g, " ").trim();
}

/** The same octets, not a copy of them. */
export function asBuffer(octets: Uint8Array): Buffer {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
}
