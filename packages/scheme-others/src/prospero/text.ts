import { isUtf8 } from "node:buffer";

// Messages are taken apart as strings of one character for each octet: what stands between apostrophes may be any octet.

/** The text of such a string: UTF-8 where it is that, else Latin-1. */
export function textOf(latin1: string): string {
  if (!/[\x80-\xff]/.test(latin1)) return latin1;
  const octets = Buffer.from(latin1, "latin1");
  return isUtf8(octets) ? octets.toString("utf8") : latin1;
}

/** The same on one line, for messages: control characters become blanks. */
export function wordsOf(latin1: string): string {
  return textOf(latin1)
    .replace(/[\x00-\x20\x7f-\x9f]+/g, " ")
    .trim();
}

/** The octets of such a string. */
export function octetsOf(latin1: string): Uint8Array {
  return Buffer.from(latin1, "latin1");
}

/** Octets as such a string. */
export function latin1Of(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString("latin1");
}
