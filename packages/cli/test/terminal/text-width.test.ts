import { describe, expect, it } from "vitest";
import {
  fitToColumns,
  measureCharacterWidth,
  padToColumns,
  truncateToColumns,
} from "../../src/terminal/text-width.ts";

describe("measureCharacterWidth", () => {
  // The test checks the first and the last character of each two-column block, and their neighbours.
  const blocks = [
    ["Hangul Jamo", 0x1100, 0x115f],
    ["CJK radicals and punctuation", 0x2e80, 0x303e],
    ["kana up to CJK Extension A", 0x3041, 0x4dbf],
    ["CJK ideographs and Yi", 0x4e00, 0xa4cf],
    ["Hangul Jamo extended A", 0xa960, 0xa97f],
    ["Hangul syllables", 0xac00, 0xd7a3],
    ["CJK compatibility ideographs", 0xf900, 0xfaff],
    ["CJK compatibility forms", 0xfe30, 0xfe6f],
    ["fullwidth forms", 0xff00, 0xff60],
    ["fullwidth signs", 0xffe0, 0xffe6],
    ["pictographs and emoticons", 0x1f300, 0x1f64f],
    ["transport symbols", 0x1f680, 0x1f6ff],
    ["further pictographs", 0x1f900, 0x1faff],
    ["the ideographic planes", 0x20000, 0x3fffd],
  ] as const;
  it.each(blocks)(
    "measureCharacterWidth returns two columns for characters of the block %s",
    (_, first, last) => {
      const isWide = [first - 1, first, last, last + 1].map(
        (code) => measureCharacterWidth(String.fromCodePoint(code)) === 2,
      );
      expect(isWide).toEqual([false, true, true, false]);
    },
  );

  it.each([
    ["a letter", "a", 1],
    ["a combining accent", "\u0301", 0],
    ["an enclosing circle", "\u20dd", 0],
    ["a joiner", "\u200d", 0],
    ["a Greek letter", "\u03b1", 1],
  ])("measureCharacterWidth returns the columns of %s", (_, character, columns) =>
    expect(measureCharacterWidth(character)).toBe(columns),
  );
});

it.each([
  ["abc", 3, "abc", "abc", "abc"],
  ["abc", 5, "abc", "abc  ", "abc  "],
  ["abcd", 3, "abc", "abcd", "ab…"],
  ["日本", 4, "日本", "日本", "日本"],
  ["日本", 3, "日", "日本", "日…"],
  ["日本", 2, "日", "日本", "… "],
  ["e\u0301x", 1, "e\u0301", "e\u0301x", "…"],
  ["😀x", 2, "😀", "😀x", "… "],
  ["", 2, "", "  ", "  "],
])(
  "the text %j in %i columns is truncated to %j, padded to %j, and fitted to %j",
  (text, columns, truncated, padded, fitted) => {
    expect(truncateToColumns(text, columns)).toBe(truncated);
    expect(padToColumns(text, columns)).toBe(padded);
    expect(fitToColumns(text, columns)).toBe(fitted);
  },
);
