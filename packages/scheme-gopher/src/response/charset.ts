import { decodeUtf8OrLatin1, latin1ToBytes, latin1ToText, toSingleLine } from "@anyscheme/core/plugin";

/** Decodes bytes as text. */
export type DecodeText = (bytes: Uint8Array) => string;

/** Returns a decoder for a charset. Default {@link decodeUtf8OrLatin1}. Throws `TypeError` for an unknown charset. */
export function createTextDecoder(charset: string | undefined): DecodeText {
  if (charset === undefined) return decodeUtf8OrLatin1;
  try {
    const decoder = new TextDecoder(charset);
    return (bytes) => decoder.decode(bytes);
  } catch (cause) {
    throw new TypeError(`there is no charset named ${charset}`, { cause });
  }
}

/** Decodes bytes as a single line of text, for messages. */
export function toDisplayText(bytes: Uint8Array): string {
  return toSingleLine(decodeUtf8OrLatin1(bytes));
}

/** Decodes a string that has one character per byte. */
export function decodeLatin1(latin1: string, decode: DecodeText = decodeUtf8OrLatin1): string {
  // Some charsets decode bytes below 128 to other characters. Only the default decoder can skip decoding of such
  // bytes.
  return decode === decodeUtf8OrLatin1 ? latin1ToText(latin1) : decode(latin1ToBytes(latin1));
}
