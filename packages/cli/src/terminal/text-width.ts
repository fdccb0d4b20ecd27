/**
 * The Unicode ranges whose characters are two columns wide: East Asian Wide and Fullwidth (Unicode Standard Annex
 * #11), and emoji.
 */
const WIDE_CHARACTER_RANGES: readonly (readonly [first: number, last: number])[] = [
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

/** Returns the number of columns that a character occupies on a terminal: 0, 1 or 2. */
export function measureCharacterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (/^[\p{Mn}\p{Me}\u200b-\u200d]$/u.test(character)) return 0;
  return WIDE_CHARACTER_RANGES.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/** Returns the longest prefix of a text that fits into these columns of a terminal. */
export function truncateToColumns(text: string, columns: number): string {
  let used = 0;
  let end = 0;
  for (const character of text) {
    used += measureCharacterWidth(character);
    if (used > columns) return text.slice(0, end);
    end += character.length;
  }
  return text;
}

/** Returns a text that occupies exactly these columns: padded with blanks, or truncated with an ellipsis. */
export function fitToColumns(text: string, columns: number): string {
  const isTruncated = truncateToColumns(text, columns) !== text;
  return padToColumns(isTruncated ? `${truncateToColumns(text, columns - 1)}…` : text, columns);
}

/** Appends blanks to a text that occupies fewer than these columns of a terminal. */
export function padToColumns(text: string, columns: number): string {
  const used = Array.from(text, measureCharacterWidth).reduce((sum, width) => sum + width, 0);
  return text + " ".repeat(Math.max(0, columns - used));
}
