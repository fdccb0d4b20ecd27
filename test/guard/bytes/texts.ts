import type { Command } from "./wire-commands.ts";

/** Stands for what is put in, at the beginning, in the middle and at the end of the text. */
export const BASE = "QaQzQ";
export const around = (text: string): string => BASE.replaceAll("Q", text);

export const BYTES: readonly number[] = Array.from({ length: 256 }, (_, byte) => byte);

/** Letters, digits and the bytes beyond US-ASCII mean nothing anywhere, 0xFF excepted. */
export const isPlain = (byte: number): boolean => /[A-Za-z0-9\x80-\xfe]/.test(String.fromCharCode(byte));

/** As many as every protocol takes in one name, three times over. */
export const IN_ONE_TEXT = 64;

/** The commands of the base with this text where the base has its own. */
export function replaced(base: readonly Command[], text: string): Command[] {
  return base.map((command) => command.map((part) => part.replaceAll(BASE, text)));
}
