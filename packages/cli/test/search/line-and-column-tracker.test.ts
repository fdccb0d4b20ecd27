import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineAndColumnTracker } from "../../src/search/line-and-column-tracker.ts";

const utf8Encoder = new TextEncoder();

/** Returns the expected line and column of a byte, computed from the decoded text before the byte. */
function computeTextPosition(bytes: Uint8Array, index: number): { line: number; column: number } {
  const lines = Buffer.from(bytes.subarray(0, index)).toString("latin1").split("\n");
  const last = Buffer.from(lines.at(-1) ?? "", "latin1").toString();
  return { line: lines.length, column: Array.from(last).length + 1 };
}

describe("LineAndColumnTracker", () => {
  const rows: [name: string, text: string | Uint8Array, index: number, line: number, column: number][] = [
    ["the offset of the first character", "a", 0, 1, 1],
    ["the offset of a character within a line", "abc", 2, 1, 3],
    ["the offset of the first character of the second line", "a\nb", 2, 2, 1],
    ["the offset of a line end, which belongs to its line", "a\nb", 1, 1, 2],
    ["an offset after CR LF", "a\r\nb", 3, 2, 1],
    ["an offset after empty lines", "\n\n\nb", 3, 4, 1],
    ["a tab, which counts as one character", "\tb", 1, 1, 2],
    ["an offset after a character of two bytes", "é<", 2, 1, 2],
    ["an offset after a character of four bytes", "😀<", 4, 1, 2],
    ["an offset after bytes of Latin-1", Buffer.from("\xe9\xe9<", "latin1"), 2, 1, 3],
    ["an offset after the first half of a UTF-8 character", Uint8Array.of(0xe2, 0x82, 0x3c), 2, 1, 2],
    ["an offset after a byte order mark", "\ufeff<", 3, 1, 1],
    ["the offset of the end of the text", "ab", 2, 1, 3],
  ];
  it.each(rows)("LineAndColumnTracker returns the line and column: %s", (_, given, index, line, column) => {
    const bytes = typeof given === "string" ? utf8Encoder.encode(given) : given;
    for (const size of [1, 2, bytes.length]) {
      const text = new LineAndColumnTracker(bytes.length);
      for (let from = 0; from < bytes.length; from += size) text.append(bytes.subarray(from, from + size));
      expect(text.getPosition(index)).toEqual({ line, column });
    }
  });

  it("LineAndColumnTracker returns the same positions for any chunks and any earlier calls", () => {
    const unit = fc.constantFrom("a", "\n", "é", "→", "😀");
    const pieces = fc.array(fc.record({ piece: fc.string({ unit }), asked: fc.array(fc.nat(20)) }));
    fc.assert(
      fc.property(pieces, fc.nat(20), (given, kept) => {
        const text = new LineAndColumnTracker(kept);
        let whole = "";
        for (const { piece, asked } of given) {
          text.append(utf8Encoder.encode(piece));
          const characters = Array.from(piece);
          for (const count of asked.toSorted((a, b) => a - b)) {
            const before = utf8Encoder.encode(whole + characters.slice(0, count).join(""));
            expect(text.getPosition(before.length)).toEqual(computeTextPosition(before, before.length));
          }
          whole += piece;
        }
      }),
    );
  });

  it("LineAndColumnTracker retains at least keepBytes bytes, and at most twice as many plus two chunks", () => {
    const text = new LineAndColumnTracker(5);
    for (let count = 0; count < 1000; count++) {
      text.append(Uint8Array.of(count % 251, 1, 2));
      if (count >= 2) expect([...text.getBytes(count * 3 - 2, 5)]).toEqual([1, 2, count % 251, 1, 2]);
      expect(text.getBytes(count * 3, 3).buffer.byteLength).toBeLessThanOrEqual(2 * (5 + 3));
    }
  });
});
