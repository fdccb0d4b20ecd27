import type { Command } from "./wire-commands.ts";

/** A text with placeholders "Q" at the beginning, in the middle and at the end. */
export const TEMPLATE = "QaQzQ";
export const fillTemplate = (text: string): string => TEMPLATE.replaceAll("Q", text);

export const BYTES: readonly number[] = Array.from({ length: 256 }, (_, byte) => byte);

/** True for letters, digits and non-ASCII bytes except 0xFF, which have no meaning in any protocol. */
export const isPlain = (byte: number): boolean => /[A-Za-z0-9\x80-\xfe]/.test(String.fromCharCode(byte));

/** The number of bytes in one text. Three times this number fits into a name of every protocol. */
export const BYTES_PER_TEXT = 64;

/** Replaces the template in commands with another text. */
export function replaceTemplate(base: readonly Command[], text: string): Command[] {
  return base.map((command) => command.map((part) => part.replaceAll(TEMPLATE, text)));
}
