import { describe, expect, it } from "vitest";
import { parseGopherPlusErrorInPlainResponse } from "../../src/gopher-plus/reply.ts";

/** Returns whether the first result of the parser is an error, for a text that arrives byte by byte. */
function parseByteByByte(text: string): boolean | undefined {
  const bytes = Buffer.from(text, "latin1");
  for (let length = 1; length <= bytes.length; length++) {
    const parsed = parseGopherPlusErrorInPlainResponse(
      bytes.subarray(0, length),
      length === bytes.length,
      "menu",
    );
    if (parsed) return parsed.value !== null;
  }
  return undefined;
}

describe("the client detects a Gopher+ error header with a message in the response to a request for a menu", () => {
  it.each([
    ["nothing", "-1 gone\r\n", true],
    ["the final dot", "-1 gone\r\n.\r\n", true],
    ["the final dot without a line end", "-1 gone\r\n.", true],
    ["an empty line", "-1 gone\r\n\r\n", true],
    ["an empty line and text", "-1\n\n gone\r\nwords", true],
    ["the final dot and text", "-1 gone\r\n.\r\nwords", true],
    ["text", "-1 gone\r\nwords\r\n", false],
    ["a dot and text in one line", "-1 gone\r\n.words\r\n", false],
  ])(
    "the client parses %s after an error header equally in one chunk and byte by byte",
    (_, text, isError) => {
      const whole = parseGopherPlusErrorInPlainResponse(Buffer.from(text, "latin1"), true, "menu");
      expect([whole?.value !== null, parseByteByByte(text)]).toEqual([isError, isError]);
    },
  );
});
