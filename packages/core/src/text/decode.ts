import { isUtf8 } from "node:buffer";

/** Bytes of unknown charset as text: UTF-8 when they are valid UTF-8, else Latin-1, one character a byte. */
export function decodeUtf8OrLatin1(bytes: Uint8Array): string {
  return asBuffer(bytes).toString(isUtf8(bytes) ? "utf8" : "latin1");
}

/** Bytes as a string of one character for each, to be taken apart as text. */
export function bytesToLatin1(bytes: Uint8Array): string {
  return asBuffer(bytes).toString("latin1");
}

/** The bytes of such a string. */
export function latin1ToBytes(latin1: string): Uint8Array {
  return Buffer.from(latin1, "latin1");
}

/** The text of such a string, as {@link decodeUtf8OrLatin1} reads its bytes. */
export function latin1ToText(latin1: string): string {
  return /[\x80-\xff]/.test(latin1) ? decodeUtf8OrLatin1(latin1ToBytes(latin1)) : latin1;
}

/** A text on one line, for messages: control characters and blanks in a row become one blank. */
export function toSingleLine(text: string): string {
  return text.replace(/[\x00-\x20\x7f-\x9f]+/g, " ").trim();
}

/** The same bytes, not a copy of them. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
