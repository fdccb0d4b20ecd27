import type { Command } from "./wire-commands.ts";

/** Stands for what is put in, at the beginning, in the middle and at the end of the text. */
export const BASE = "QaQzQ";
export const around = (text: string): string => BASE.replaceAll("Q", text);

export const OCTETS: readonly number[] = Array.from({ length: 256 }, (_, octet) => octet);

/** Letters, digits and the octets beyond US-ASCII mean nothing anywhere, 0xFF excepted. */
export const isPlain = (octet: number): boolean => /[A-Za-z0-9\x80-\xfe]/.test(String.fromCharCode(octet));

/** As many as every protocol takes in one name, three times over. */
export const IN_ONE_TEXT = 64;

/** The commands of the base with this text where the base has its own. */
export function replaced(base: readonly Command[], text: string): Command[] {
  return base.map((command) => command.map((part) => part.replaceAll(BASE, text)));
}
