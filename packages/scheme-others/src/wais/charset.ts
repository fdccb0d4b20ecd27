import { oneLine, textOf } from "@anyscheme/core";

export { bufferOf, decoded, latin1Of, textOf } from "@anyscheme/core";

/** Octets as text on one line, for messages. */
export function wordsOf(octets: Uint8Array): string {
  return oneLine(textOf(octets));
}
