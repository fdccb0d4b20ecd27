import { describe, expect, it } from "vitest";
import { parseWaisSource } from "../../../src/wais/index.ts";
import { apduOf, decode, exchanges } from "../captures.ts";

const parse = (text: string): ReturnType<typeof parseWaisSource> => parseWaisSource(Buffer.from(text));

describe("a source description", () => {
  it("of freeWAIS-sf [34]", () => {
    const [text] = decode(apduOf(exchanges("34-lynx-wsrc")[0]?.answer ?? Buffer.alloc(0))).texts;
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
      "names inside of strings",
      '(:source :description ":host x" :tcp-port 1)',
      { description: ":host x", port: "1" },
    ],
    ["names in capitals", '(:SOURCE :Database-Name "d")', { database: "d" }],
    [
      "a list of strings",
      '(:source :keyword-list ("two words" :x three))',
      { keywords: ["two words", ":x", "three"] },
    ],
    ["an address only", '(:source :ip-address "192.0.2.1" :database-name "d")', { host: "192.0.2.1" }],
    ["an empty name", '(:source :ip-name "" :ip-address "192.0.2.1")', { host: "192.0.2.1" }],
    ["what follows its end", "(:source :tcp-port 1) (:tcp-port 2)", { port: "1" }],
    ["a host that can stand in no URL", '(:source :ip-name "a b" :database-name "d")', { url: undefined }],
    ["a port that is none", '(:source :ip-name "h" :tcp-port x :database-name "d")', { url: undefined }],
    ["nothing", "(:source)", { database: undefined, keywords: [], url: undefined }],
    [
      "no end of a string",
      '(:source :tcp-port 1 :description "never\nended)',
      { port: "1", description: "never\nended)", fault: "a quotation mark is not closed" },
    ],
    [
      "a backslash at its end",
      '(:source :description "a\\',
      { description: "a", fault: "a quotation mark is not closed" },
    ],
    [
      "no end of a list",
      "(:source :keyword-list (a b",
      { keywords: ["a", "b"], fault: "a parenthesis is not closed" },
    ],
    ["both ends", '(:source :description "x")', { description: "x", fault: undefined }],
  ])("with %s", (_name, text, fields) => {
    expect(parse(text)).toMatchObject(fields);
  });

  it.each(["", " ", "source", ":source", "(source)", ")", '(:database-name "d")', "Catalog (:source)"])(
    "is not what %j is",
    (text) => {
      expect(parse(text)).toBeUndefined();
    },
  );

  it.each(["(", '"', "\\", "(:source ", ':x "', "(:source :a \\"])(
    "made of a million %j is read in linear time",
    (piece) => {
      expect(() => parse(piece.repeat(1_000_000 / piece.length))).not.toThrow();
    },
  );
});
