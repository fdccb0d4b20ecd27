import { decoded as decodedText, octetsOf, oneLine, textOf } from "@anyscheme/core";

export { latin1Of, octetsOf, textOf } from "@anyscheme/core";

/** How octets become text. */
export type Decode = (octets: Uint8Array) => string;

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

/** Octets as text on one line, for messages. */
export function wordsOf(octets: Uint8Array): string {
  return oneLine(textOf(octets));
}

/** The text of a string of one character for each octet. */
export function decoded(latin1: string, decode: Decode = textOf): string {
  // Nearly all is US-ASCII, which some other charsets read in another way.
  return decode === textOf ? decodedText(latin1) : decode(octetsOf(latin1));
}
