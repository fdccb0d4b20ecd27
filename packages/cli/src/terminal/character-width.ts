import { CONTROL_CHARACTERS } from "@anyscheme/core/text";

/** Returns the Unicode control picture of a control character, as `␍` for CR. Returns other characters unchanged. */
export function controlPicture(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return character.search(CONTROL_CHARACTERS) === 0 ? "\ufffd" : character;
}

/**
 * Blocks that terminals show two columns wide: East Asian Wide and Fullwidth (Unicode Standard Annex #11), and emoji.
 */
const WIDE_RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd],
];

/** Returns the columns that a character occupies on a terminal: 0, 1 or 2. */
export function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (/^[\p{Mn}\p{Me}\u200b-\u200d]$/u.test(character)) return 0;
  return WIDE_RANGES.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}
