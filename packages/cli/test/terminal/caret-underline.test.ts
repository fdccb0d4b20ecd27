import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatTextWithCaret } from "../../src/terminal/caret-underline.ts";
import { measureCharacterWidth } from "../../src/terminal/text-width.ts";

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
