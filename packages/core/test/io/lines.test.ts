import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AccessError } from "../../src/errors/access-error.ts";
import { type CoreLimits, mergeLimits } from "../../src/policy/limits.ts";
import { LineSplitter, readLines } from "../../src/io/lines.ts";
import { createRecordingByteSource } from "../recording-byte-source.ts";

const createLineLimits = (maxListingLineBytes: number): CoreLimits => mergeLimits({ maxListingLineBytes });

/** Returns the lines of a text that arrives in the given chunks, and the text after the last line end. */
async function splitLines(pieces: readonly string[], maxLineBytes = 100): Promise<string[]> {
  const lines: string[] = [];
  try {
    const source = createRecordingByteSource(pieces.map((piece) => Buffer.from(piece, "latin1")));
    for await (const line of readLines(source, createLineLimits(maxLineBytes), "maxListingLineBytes"))
      lines.push(Buffer.from(line).toString("latin1"));
  } catch (error) {
    lines.push(`! ${error instanceof AccessError ? error.code : String(error)}`);
  }
  return lines;
}

describe("readLines splits a source into lines", () => {
  it.each([
    ["", []],
    ["a", ["a"]],
    ["a\n", ["a"]],
    ["a\r\n", ["a"]],
    ["a\r\nb", ["a", "b"]],
    ["a\n\nb\r\n\r\n", ["a", "", "b", ""]],
    ["\n", [""]],
    ["\r\n", [""]],
    ["a\rb\n", ["a\rb"]],
    ["a\r\r\n", ["a\r"]],
    ["a\n\rb\n", ["a", "\rb"]],
    ["a\r", ["a\r"]],
    ["\xff\0\x80\n\xe9", ["\xff\0\x80", "\xe9"]],
  ])("readLines splits %j into the lines %j, for every split into two chunks", async (text, lines) => {
    for (let at = 0; at <= text.length; at++)
      expect(await splitLines([text.slice(0, at), text.slice(at)])).toEqual(lines);
    expect(await splitLines(Array.from(text))).toEqual(lines);
  });

  it("readLines returns the same lines for every split of any text, even with lines above the limit", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "\r", "\n"), maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(30), { maxLength: 5 }), async (text, cuts) => {
        const at = [0, ...cuts.filter((one) => one < text.length).toSorted((a, b) => a - b), text.length];
        const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
        const whole = await splitLines([text], 4);
        expect(await splitLines(pieces, 4)).toEqual(whole);
        expect(await splitLines(Array.from(text), 4)).toEqual(whole);
      }),
      { seed: 1738, numRuns: 500 },
    );
  });
});

describe("the limit on the length of a line", () => {
  const ends = ["\n", "\r\n", ""];
  it.each([7, 8, 9])("readLines applies a limit of 8 bytes to a line of %i bytes", async (count) => {
    const expected = (line: string): string[] => (count <= 8 ? ["first", line] : ["first", "! limit"]);
    for (const end of ends) {
      const line = "x".repeat(count);
      const text = `first\n${line}${end}`;
      expect(await splitLines([text], 8)).toEqual(expected(line));
      expect(await splitLines(Array.from(text), 8)).toEqual(expected(line));
    }
  });

  it("LineSplitter rejects an incomplete line as soon as the line exceeds the limit", () => {
    const splitter = new LineSplitter(createLineLimits(8), "maxListingLineBytes");
    expect(splitter.push(Buffer.alloc(8, "x"))).toEqual([]);
    expect(() => splitter.push(Buffer.from("x"))).toThrow(
      expect.objectContaining({ code: "limit", limit: "maxListingLineBytes" }),
    );
    expect(() => splitter.push(Buffer.from("\n"))).toThrow(AccessError);
    expect(() => splitter.takeLastLine()).toThrow(AccessError);
  });

  it("the length of a line includes a lone CR, but not a CR before LF", async () => {
    expect(await splitLines(["12345678\r\n"], 8)).toEqual(["12345678"]);
    expect(await splitLines(["12345678\rx\n"], 8)).toEqual(["! limit"]);
    expect(await splitLines(["12345678\r\r\n"], 8)).toEqual(["! limit"]);
    expect(await splitLines(["12345678\r"], 8)).toEqual(["! limit"]);
  });
});

describe("readLines on demand", () => {
  it("readLines reads no chunk after the end of the next line", async () => {
    const source = createRecordingByteSource(["a\n", "b\n"].map((piece) => Buffer.from(piece)));
    const lines = readLines(source, createLineLimits(8), "maxListingLineBytes");
    await lines.next();
    expect(source.readBytes).toBe(2);
    await lines.return(undefined);
  });

  it("readLines returns the lines before a failure", async () => {
    const source = createRecordingByteSource([Buffer.from("a\nb")], new AccessError("incomplete", "cut off"));
    const lines: string[] = [];
    await expect(
      (async () => {
        for await (const line of readLines(source, createLineLimits(8), "maxListingLineBytes"))
          lines.push(Buffer.from(line).toString());
      })(),
    ).rejects.toMatchObject({ code: "incomplete" });
    expect(lines).toEqual(["a"]);
  });
});
