import { CONTROL_CHARACTERS } from "@anyscheme/core/text";

/**
 * Formats a value as one line of JSON. Escapes the characters that a terminal interprets or does not show: C0, DEL, C1,
 * line separators, bidirectional marks, lone surrogates (RFC 8259 §7).
 */
export function formatJsonLine(value: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  return JSON.stringify(value, replacer).replace(
    CONTROL_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
