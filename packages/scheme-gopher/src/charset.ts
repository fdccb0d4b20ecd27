import {
  latin1ToText as decodedText,
  latin1ToBytes,
  toSingleLine,
  decodeUtf8OrLatin1,
} from "@anyscheme/core/plugin";

export { bytesToLatin1, latin1ToBytes, decodeUtf8OrLatin1 } from "@anyscheme/core/plugin";

/** How bytes become text. */
export type Decode = (bytes: Uint8Array) => string;

/** How bytes of this charset become text; without one, as {@link decodeUtf8OrLatin1} does. Throws `TypeError` for a charset that is not known. */
export function decoderOf(charset: string | undefined): Decode {
  if (charset === undefined) return decodeUtf8OrLatin1;
  try {
    const decoder = new TextDecoder(charset);
    return (bytes) => decoder.decode(bytes);
  } catch (cause) {
    throw new TypeError(`there is no charset named ${charset}`, { cause });
  }
}

/** Bytes as text on one line, for messages. */
export function wordsOf(bytes: Uint8Array): string {
  return toSingleLine(decodeUtf8OrLatin1(bytes));
}

/** The text of a string of one character for each byte. */
export function decoded(latin1: string, decode: Decode = decodeUtf8OrLatin1): string {
  // Nearly all is US-ASCII, which some other charsets read in another way.
  return decode === decodeUtf8OrLatin1 ? decodedText(latin1) : decode(latin1ToBytes(latin1));
}
