import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureCharacterWidth, formatTextWithCaret } from "../../src/terminal/caret-underline.ts";

describe("formatTextWithCaret", () => {
  const rows: [
    name: string,
    text: string,
    index: number,
    length: number,
    columns: number,
    expected: [string, string],
  ][] = [
    ["one character", "ftp://h/a b", 9, 1, 80, ["ftp://h/a b", "         ^"]],
    ["several characters", "http://h/%zz", 9, 3, 80, ["http://h/%zz", "         ^~~"]],
    ["a fault between two characters", "http:h", 5, 0, 80, ["http:h", "     ^"]],
    ["a fault at the end of the text", "file://h", 8, 0, 80, ["file://h", "        ^"]],
    ["a fault in an empty text", "", 0, 0, 80, ["", "^"]],
    ["a control character", "ftp://h/\r\nx", 8, 1, 80, ["ftp://h/␍␊x", "        ^"]],
    ["DEL and ESC", "x:\u007f\u001b[m", 2, 2, 80, ["x:␡␛[m", "  ^~"]],
    ["a character after wide characters", "x:漢字 y", 4, 1, 80, ["x:漢字 y", "      ^"]],
    ["wide characters", "x:漢字y", 2, 2, 80, ["x:漢字y", "  ^~~~"]],
    ["a character after an emoji of two UTF-16 units", "x:😀 y", 4, 1, 80, ["x:😀 y", "    ^"]],
    ["a lone surrogate", "x:\ud800y", 2, 1, 80, ["x:\ufffdy", "  ^"]],
    ["a character that changes the direction of text", "x:\u202ey", 2, 1, 80, ["x:\ufffdy", "  ^"]],
    [
      "a fault in the middle of a long text",
      `x:${"a".repeat(50)} ${"b".repeat(50)}`,
      52,
      1,
      20,
      ["…aaaaaa bbbbbbbbbbb…", "       ^"],
    ],
    ["a fault at the start of a long text", `x y:${"a".repeat(50)}`, 1, 1, 20, ["x y:aaaaaaaaaaaaaa…", " ^"]],
    [
      "a fault at the end of a long text",
      `x:${"a".repeat(50)} b`,
      52,
      1,
      20,
      ["…aaaaaaaaaaaaaaaa b", "                 ^"],
    ],
    [
      "a fault that is longer than a terminal line",
      `x:${"a".repeat(50)}`,
      10,
      40,
      20,
      ["…aaaaaaaaaaaaaaaaaa…", "       ^~~~~~~~~~~~"],
    ],
  ];
  it.each(rows)("formatTextWithCaret marks the fault: %s", (_, text, index, length, columns, expected) => {
    expect(formatTextWithCaret(text, index, length, columns)).toEqual(expected);
  });

  it("formatTextWithCaret never returns a line wider than the terminal, and the mark is within the line", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 200 }),
        fc.nat(200),
        fc.nat(50),
        fc.integer({ min: 10, max: 100 }),
        (text, at, length, columns) => {
          const index = Math.min(at, text.length);
          const [line, marks] = formatTextWithCaret(
            text,
            index,
            Math.min(length, text.length - index),
            columns,
          );
          expect(measureLineWidth(line)).toBeLessThanOrEqual(columns);
          expect(marks).toMatch(/^ *\^~*$/);
          expect(marks.length).toBeLessThanOrEqual(measureLineWidth(line) + 1);
        },
      ),
    );
  });
});

function measureLineWidth(line: string): number {
  return Array.from(line).reduce((sum, character) => sum + measureCharacterWidth(character), 0);
}

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
