import { CONTROL_CHARACTERS } from "@anyscheme/core/text";

/**
 * A value as one line of JSON. Characters that do something to a terminal or to a reader's eye (C0, DEL, C1, line separators,
 * marks that turn the direction of writing, halves of surrogate pairs) are escaped. RFC 8259 §7.
 */
export function jsonLine(value: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  return JSON.stringify(value, replacer).replace(
    CONTROL_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
