import { describe, expect, it } from "vitest";
import { parseWaisSource } from "../../../src/wais/index.ts";
import { extractApdu, decodeSearchResponseApdu, readCapturedExchanges } from "../read-captures.ts";

const parseSourceText = (text: string): ReturnType<typeof parseWaisSource> =>
  parseWaisSource(Buffer.from(text));

describe("parseWaisSource", () => {
  it("parseWaisSource parses the source description of freeWAIS-sf", () => {
    const [text] = decodeSearchResponseApdu(
      extractApdu(readCapturedExchanges("34-lynx-wsrc")[0]?.response ?? Buffer.alloc(0)),
    ).texts;
    const source = parseWaisSource(text ?? new Uint8Array(0));
    expect(source).toMatchObject({
      database: "fruit",
      host: "vm",
      port: "210",
      maintainer: "root@vm",
      keywords: ["row"],
      cost: "0.00",
      costUnit: "free",
    });
    expect(source?.description).toMatch(
      /^Server created with freeWAIS-sf 2\.2\.8 string on .*two words\.txt$/s,
    );
    expect(source?.url?.href).toBe("wais://vm:210/fruit");
  });

  it.each([
    ["quotes and backslashes", '(:source :description "a \\"b\\" \\\\ c")', { description: 'a "b" \\ c' }],
    [
      "field names within strings",
      '(:source :description ":host x" :tcp-port 1)',
      { description: ":host x", port: "1" },
    ],
    ["field names in capitals", '(:SOURCE :Database-Name "d")', { database: "d" }],
    [
      "a list of strings",
      '(:source :keyword-list ("two words" :x three))',
      { keywords: ["two words", ":x", "three"] },
    ],
    [
      "a description with an IP address and no host name",
      '(:source :ip-address "192.0.2.1" :database-name "d")',
      { host: "192.0.2.1" },
    ],
    [
      "a description with an IP address and an empty host name",
      '(:source :ip-name "" :ip-address "192.0.2.1")',
      { host: "192.0.2.1" },
    ],
    ["text after its end", "(:source :tcp-port 1) (:tcp-port 2)", { port: "1" }],
    [
      "a host name that is invalid in a URL",
      '(:source :ip-name "a b" :database-name "d")',
      { url: undefined },
    ],
    ["an invalid port", '(:source :ip-name "h" :tcp-port x :database-name "d")', { url: undefined }],
    ["no fields", "(:source)", { database: undefined, keywords: [], url: undefined }],
    [
      "a string without its closing quotation mark",
      '(:source :tcp-port 1 :description "never\nended)',
      { port: "1", description: "never\nended)", fault: "a quotation mark is not closed" },
    ],
    [
      "a backslash as the last character",
      '(:source :description "a\\',
      { description: "a", fault: "a quotation mark is not closed" },
    ],
    [
      "a list without its closing parenthesis",
      "(:source :keyword-list (a b",
      { keywords: ["a", "b"], fault: "a parenthesis is not closed" },
    ],
    [
      "a closed string and a closed list",
      '(:source :description "x")',
      { description: "x", fault: undefined },
    ],
  ])("parseWaisSource parses a source description with %s", (_name, text, fields) => {
    expect(parseSourceText(text)).toMatchObject(fields);
  });

  it.each(["", " ", "source", ":source", "(source)", ")", '(:database-name "d")', "Catalog (:source)"])(
    "parseWaisSource returns undefined for the text %j, which is no source description",
    (text) => {
      expect(parseSourceText(text)).toBeUndefined();
    },
  );

  it.each([
    ["a long string", "a"],
    ["a long string of quoted characters", '\\"'],
    ["many words", "a "],
    ["many strings", '""'],
    ["many parentheses", "("],
  ])("parseWaisSource parses the first part of a text of 17 million characters: %s", (_, piece) => {
    const start = '(:source :tcp-port 1 :description "';
    const text = `${start}${piece === "a" || piece === '\\"' ? "" : '" '}${piece.repeat(17_000_000 / piece.length)}`;
    expect(parseSourceText(text)).toMatchObject({
      port: "1",
      fault: "the text is longer than 1 048 576 characters",
    });
  });

  it("parseWaisSource parses a text of 1 048 576 characters without a fault", () => {
    const padded = (text: string): string => text.padEnd(1_048_576);
    expect(parseSourceText(padded('(:source :description "x")'))).toMatchObject({ fault: undefined });
  });

  it.each(["(", '"', "\\", "(:source ", ':x "', "(:source :a \\"])(
    "parseWaisSource parses a million repetitions of %j in linear time",
    (piece) => {
      expect(() => parseSourceText(piece.repeat(1_000_000 / piece.length))).not.toThrow();
    },
  );
});
