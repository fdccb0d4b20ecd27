import { isUtf8 } from "node:buffer";

/** Octets of unknown charset as text: UTF-8 when they are valid UTF-8, else one character an octet. */
export function textOf(octets: Uint8Array): string {
  return bufferOf(octets).toString(isUtf8(octets) ? "utf8" : "latin1");
}

/** The same on one line, for messages: control characters become blanks. */
export function wordsOf(octets: Uint8Array): string {
  return textOf(octets)
    .replace(/[\x00-\x20\x7f-\x9f]+/g, " ")
    .trim();
}

/** Octets as a string of one character for each. */
export function latin1Of(octets: Uint8Array): string {
  return bufferOf(octets).toString("latin1");
}

/** The text of such a string. */
export function decoded(latin1: string): string {
  return /[\x80-\xff]/.test(latin1) ? textOf(Buffer.from(latin1, "latin1")) : latin1;
}

/** The same octets, not a copy of them. */
export function bufferOf(octets: Uint8Array): Buffer {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
}
