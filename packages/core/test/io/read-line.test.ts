import { describe, expect, it } from "vitest";
import { readLine } from "../../src/io/lines.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { createPushbackSourceFromLatin1 } from "./create-pushback-source.ts";

const lineLimits = { maxLineBytes: 5 };
const readLimitedLine = (
  source: ReturnType<typeof createPushbackSourceFromLatin1>,
): Promise<string | undefined> => readLine(source, lineLimits, "maxLineBytes");

describe("readLine reads a single line", () => {
  it.each([
    ["a\r\nb", "a", "b"],
    ["a\nb", "a", "b"],
    ["\r\n", "", ""],
    ["12345\r\n", "12345", ""],
    ["a\rb\r\n", "a\rb", ""],
    ["\xff\r\n", "\xff", ""],
  ])("readLine returns the first line of %j", async (bytes, line, rest) => {
    for (const pieces of [[bytes], bytes.split("")]) {
      const source = createPushbackSourceFromLatin1(pieces);
      expect(await readLimitedLine(source)).toBe(line);
      let left = "";
      await source.readChunks((more) => (left += Buffer.from(more).toString("latin1")) !== "");
      expect(left).toBe(rest);
    }
  });

  it("readLine returns undefined at the end of the connection", async () => {
    expect(await readLimitedLine(createPushbackSourceFromLatin1([]))).toBeUndefined();
  });

  it.each([
    ["123456\r\n", { code: "limit", limit: "maxLineBytes" }],
    ["x".repeat(1_000_000), { code: "limit", limit: "maxLineBytes" }],
    ["half", { code: "incomplete" }],
  ])("readLine fails for the line %.10s, which is too long or has no end", async (bytes, failure) => {
    for (const pieces of [[bytes], bytes.slice(0, 10).split("")])
      expect(await catchAccessError(readLimitedLine(createPushbackSourceFromLatin1(pieces)))).toMatchObject(
        failure,
      );
  });
});
