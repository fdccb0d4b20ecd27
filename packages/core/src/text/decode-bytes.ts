import { isUtf8 } from "node:buffer";

/** Decodes bytes of unknown charset: valid UTF-8 as UTF-8, other bytes as Latin-1. */
export function decodeUtf8OrLatin1(bytes: Uint8Array): string {
  return asBuffer(bytes).toString(isUtf8(bytes) ? "utf8" : "latin1");
}

/** Decodes bytes as Latin-1, one character per byte. */
export function bytesToLatin1(bytes: Uint8Array): string {
  return asBuffer(bytes).toString("latin1");
}

/** Encodes a string with one character per byte as Latin-1. */
export function latin1ToBytes(latin1: string): Uint8Array {
  return Buffer.from(latin1, "latin1");
}

/** Decodes a string with one character per byte, as {@link decodeUtf8OrLatin1} decodes bytes. */
export function decodeBinaryStringToText(latin1: string): string {
  return /[\x80-\xff]/.test(latin1) ? decodeUtf8OrLatin1(latin1ToBytes(latin1)) : latin1;
}

/** Converts a text to one line. Each run of control characters and blanks becomes one blank. */
export function toSingleLine(text: string): string {
  return text.replace(/[\x00-\x20\x7f-\x9f]+/g, " ").trim();
}

/** Returns a `Buffer` that shares the memory of the bytes. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
