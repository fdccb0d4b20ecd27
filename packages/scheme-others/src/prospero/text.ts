// Messages are taken apart as strings of one character for each octet: what stands between apostrophes may be any octet.
import { decoded, oneLine } from "@anyscheme/core";

export { decoded as textOf, latin1Of, octetsOf } from "@anyscheme/core";

/** The text of such a string on one line, for messages. */
export function wordsOf(latin1: string): string {
  return oneLine(decoded(latin1));
}
