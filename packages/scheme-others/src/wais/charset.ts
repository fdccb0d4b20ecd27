import { toSingleLine, decodeUtf8OrLatin1 } from "@anyscheme/core/plugin";

export { asBuffer, latin1ToText, bytesToLatin1, decodeUtf8OrLatin1 } from "@anyscheme/core/plugin";

/** Bytes as text on one line, for messages. */
export function wordsOf(bytes: Uint8Array): string {
  return toSingleLine(decodeUtf8OrLatin1(bytes));
}
