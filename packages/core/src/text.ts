import { isUtf8 } from "node:buffer";

/** Octets of unknown charset as text: UTF-8 when they are valid UTF-8, else Latin-1, one character an octet. */
export function textOf(octets: Uint8Array): string {
  return bufferOf(octets).toString(isUtf8(octets) ? "utf8" : "latin1");
}

/** Octets as a string of one character for each, to be taken apart as text. */
export function latin1Of(octets: Uint8Array): string {
  return bufferOf(octets).toString("latin1");
}

/** The octets of such a string. */
export function octetsOf(latin1: string): Uint8Array {
  return Buffer.from(latin1, "latin1");
}

/** The text of such a string, as {@link textOf} reads its octets. */
export function decoded(latin1: string): string {
  return /[\x80-\xff]/.test(latin1) ? textOf(octetsOf(latin1)) : latin1;
}

/** A text on one line, for messages: control characters and blanks in a row become one blank. */
export function oneLine(text: string): string {
  return text.replace(/[\x00-\x20\x7f-\x9f]+/g, " ").trim();
}

/** The same octets, not a copy of them. */
export function bufferOf(octets: Uint8Array): Buffer {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
}
