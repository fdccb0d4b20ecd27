import { toSingleLine, decodeUtf8OrLatin1 } from "@anyscheme/core";

export { asBuffer, latin1ToText, bytesToLatin1, decodeUtf8OrLatin1 } from "@anyscheme/core";

/** Octets as text on one line, for messages. */
export function wordsOf(octets: Uint8Array): string {
  return toSingleLine(decodeUtf8OrLatin1(octets));
}
