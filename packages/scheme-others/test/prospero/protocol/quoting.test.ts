import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteToken, splitAndUnquoteTokens } from "../../../src/prospero/protocol/logical-lines.ts";
import { readCapturedDatagrams } from "../read-capture.ts";

const arbitraryToken = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)),
});
/** Generates texts of many apostrophes and separators, which are often adjacent. */
const tokenOfSpecialCharacters = fc.string({
  unit: fc.constantFrom("'", " ", "\t", "\n", "/", "a", "\0", "\xff"),
});

describe("the client quotes Prospero tokens", () => {
  // The original software wrote these tokens in the captures 01, 14, 59 and 67.
  it.each([
    ["", "''"],
    ["hello.txt", "hello.txt"],
    ["/pub/x", "'/pub/x'"],
    ["12 bytes", "12' bytes'"],
    ["AFTP/pub/readme.txt", "AFTP'/pub/readme.txt'"],
    ["don't panic.txt", "don'''t panic.txt'"],
    ["'quoted'.txt", "'''quoted''.txt'"],
    ["line\nfeed.txt", "line'\nfeed.txt'"],
    ["tab\there.txt", "tab'\there.txt'"],
    ["'", "''''"],
    ["caf\xc3\xa9.txt", "caf\xc3\xa9.txt"],
    ["HOST(15250)", "HOST(15250)"],
  ])("quoteToken quotes the token %j as %j, and splitAndUnquoteTokens parses it again", (token, written) => {
    expect(quoteToken(token)).toBe(written);
    expect(splitAndUnquoteTokens(written)).toEqual([token]);
  });

  it.each([
    ["LINK  L", ["LINK", "L"]],
    ["  LINK\t \tL  ", ["LINK", "L"]],
    ["", []],
    ["  ", []],
    ["a' file with spaces.txt'", ["a file with spaces.txt"]],
    ["a'b'c'd'", ["abcd"]],
    ["a'b''c'd", ["ab'cd"]],
    ["'' '' ''", ["", "", ""]],
    ["''''''", ["''"]],
    ["'a b' c", ["a b", "c"]],
    ["it'''s\na name'", ["it's\na name"]],
    ["a 'b c", ["a", "b c"]],
    ["a 'b''", ["a", "b'"]],
    ["a b\r", ["a", "b"]],
    ["a 'b\r'", ["a", "b\r"]],
  ])("splitAndUnquoteTokens splits the line %j into the tokens %j", (line, tokens) => {
    expect(splitAndUnquoteTokens(line)).toEqual(tokens);
  });

  it("the client parses each quoted token between other tokens", () => {
    const tokens = fc.array(fc.oneof(arbitraryToken, tokenOfSpecialCharacters), { maxLength: 6 });
    const separator = fc.constantFrom(" ", "  ", "\t", " \t ");
    fc.assert(
      fc.property(tokens, separator, (each, between) => {
        expect(splitAndUnquoteTokens(each.map(quoteToken).join(between))).toEqual(each);
      }),
    );
  });

  it("splitAndUnquoteTokens splits arbitrary text into tokens without added bytes", () => {
    fc.assert(
      fc.property(fc.oneof(arbitraryToken, tokenOfSpecialCharacters), (text) => {
        const bytes = (part: string): string =>
          part
            .replace(/[' \t\r]/g, "")
            .split("")
            .toSorted()
            .join("");
        expect(bytes(splitAndUnquoteTokens(text).join(""))).toBe(bytes(text));
      }),
    );
  });

  it("quoteToken quotes the object name of a captured request like the original client", () => {
    const [first] = readCapturedDatagrams("90f-real-vls-links-union");
    const [, , , directory] = first?.bytes.subarray(9).toString("latin1").split("\n") ?? [];
    expect(directory).toBe(`DIRECTORY ASCII ${quoteToken("/srv/library/prospero/tree")}`);
  });
});
