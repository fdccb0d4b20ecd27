// Messages are taken apart as strings of one character for each byte: what stands between apostrophes may be any byte.
import { latin1ToText, toSingleLine } from "@anyscheme/core/plugin";

export { latin1ToText as textOf, bytesToLatin1, latin1ToBytes } from "@anyscheme/core/plugin";

/** The text of such a string on one line, for messages. */
export function latin1ToSingleLine(latin1: string): string {
  return toSingleLine(latin1ToText(latin1));
}
