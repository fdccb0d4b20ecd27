import type { DecodedCommand } from "./command-decoders.ts";

/** A text with the placeholder "Q" at the beginning, in the middle and at the end. */
export const TEMPLATE_WITH_PLACEHOLDERS = "QaQzQ";
export const insertIntoTemplate = (text: string): string => TEMPLATE_WITH_PLACEHOLDERS.replaceAll("Q", text);

export const ALL_BYTE_VALUES: readonly number[] = Array.from({ length: 256 }, (_, byte) => byte);

/**
 * Returns true for a letter, a digit, and a byte from 0x80 to 0xFE. No protocol treats letters, digits and bytes from
 * 0x80 to 0xFE specially.
 */
export const isByteWithoutSpecialMeaning = (byte: number): boolean =>
  /[A-Za-z0-9\x80-\xfe]/.test(String.fromCharCode(byte));

/** The maximum number of bytes that replace one placeholder, so that the text fits into a name of every protocol. */
export const MAX_BYTES_PER_PLACEHOLDER = 64;

/** Replaces the text template in decoded commands with another text. */
export function replaceTemplateInDecodedCommands(
  commands: readonly DecodedCommand[],
  text: string,
): DecodedCommand[] {
  return commands.map((command) => command.map((part) => part.replaceAll(TEMPLATE_WITH_PLACEHOLDERS, text)));
}
