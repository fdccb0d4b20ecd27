import { AccessError, DEFAULT_CORE_LIMITS } from "@anyscheme/core";
import { mergeLimits } from "@anyscheme/core/plugin";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProsperoLineSplitter, quoteToken } from "../../../src/prospero/protocol/logical-lines.ts";
import { parseProsperoReplyLine } from "../../../src/prospero/protocol/reply-line.ts";
import { readCapturedReplyText } from "../read-capture.ts";

function splitLogicalLines(
  pieces: readonly string[],
  limit = 8192,
): { lines: string[]; rest: string | undefined; failure: unknown } {
  const cutter = new ProsperoLineSplitter(mergeLimits({ maxListingLineBytes: limit }, DEFAULT_CORE_LIMITS));
  const lines: string[] = [];
  try {
    for (const piece of pieces)
      for (const line of cutter.push(Buffer.from(piece, "latin1"))) lines.push(line);
    return { lines, rest: cutter.end(), failure: undefined };
  } catch (error) {
    return { lines, rest: undefined, failure: error };
  }
}

/** Returns the ways to split the text into two chunks, and the text split into single bytes. */
function splitAtEveryByte(text: string): string[][] {
  return [
    text.split(""),
    ...Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)]),
  ];
}

describe("the client splits a Prospero reply into logical lines", () => {
  it.each([
    ["a\nb\n", ["a", "b"], ""],
    ["\n\na", ["", ""], "a"],
    ["a'\n'b\nc\n", ["a'\n'b", "c"], ""],
    ["a'''\n'b\nc", ["a'''\n'b"], "c"],
    ["''\n''\n", ["''", "''"], ""],
    ["VERSION-NOT-SUPPORTED TRY 1-5", [], "VERSION-NOT-SUPPORTED TRY 1-5"],
    ["", [], ""],
  ])("ProsperoLineSplitter splits the reply %j into lines, in chunks of any size", (text, lines, rest) => {
    for (const pieces of splitAtEveryByte(text))
      expect(splitLogicalLines(pieces)).toEqual({ lines, rest, failure: undefined });
  });

  it.each([
    ["LINK L FILE x INTERNET-D h ASCII 'x 0\nLINK L FILE y INTERNET-D h ASCII y 0\n", []],
    ["a\n'b", ["a"]],
    ["ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 12' bytes\n", []],
    // A warning whose open quotation includes further lines is an error.
    ["WARNING MESSAGE don't\nLINK L FILE y INTERNET-D h ASCII y 0\n", []],
  ])("the client rejects the reply %j, which ends within a quotation", (text, lines) => {
    for (const pieces of splitAtEveryByte(text)) {
      expect(splitLogicalLines(pieces)).toMatchObject({
        lines,
        rest: undefined,
        failure: { code: "protocol" },
      });
    }
  });

  it.each([
    ["FAILURE SERVER-FAILED can't fork\n", "FAILURE SERVER-FAILED can't fork\n"],
    ["a\nERROR don't\nmore\n", "ERROR don't\nmore\n"],
    ["VERSION-NOT-SUPPORTED don't", "VERSION-NOT-SUPPORTED don't"],
    ["WARNING OUT-OF-DATE it can't be sent.\n", "WARNING OUT-OF-DATE it can't be sent.\n"],
  ])("the client accepts the reply %j, whose unquoted last line contains an apostrophe", (text, rest) => {
    for (const pieces of splitAtEveryByte(text))
      expect(splitLogicalLines(pieces)).toMatchObject({ rest, failure: undefined });
  });

  it.each(["59-list-names", "67-list-links", "14-goi-contents-binary"])(
    "ProsperoLineSplitter splits the captured reply %s into the same lines, in chunks of any size",
    (name) => {
      const text = readCapturedReplyText(name);
      const whole = splitLogicalLines([text]);
      expect(whole.lines.every((line) => /^(?:LINK|ATTRIBUTE) /.test(line))).toBe(true);
      for (const pieces of splitAtEveryByte(text)) expect(splitLogicalLines(pieces)).toEqual(whole);
    },
  );

  it.each([
    [5, "12345\n123456\n1\n", ["12345"]],
    [6, "12345\n123456\n1\n", ["12345", "123456", "1"]],
    [5, "'2\n45\n", []],
    [5, "1\n123456", ["1"]],
  ])("the client limits each line of a reply to %i bytes", (limit, text, lines) => {
    for (const pieces of splitAtEveryByte(text)) {
      const found = splitLogicalLines(pieces, limit);
      expect(found.lines).toEqual(lines);
      if (lines.length === 3) expect(found.failure).toBeUndefined();
      else expect(found.failure).toMatchObject({ code: "limit", limit: "maxListingLineBytes" });
    }
  });

  it("ProsperoLineSplitter splits a reply that arrives one byte at a time without quadratic cost", () => {
    const limit = 1_000_000;
    const text = `${"'x'".repeat(100_000)}\n`;
    expect(splitLogicalLines(text.split(""), limit).lines).toEqual([text.slice(0, -1)]);
  });
});

describe("the client parses the lines of a Prospero reply", () => {
  const here = { hostType: "INTERNET-D", host: "LOCALHOST", port: 15250, nameType: "ASCII" };
  it.each([
    [
      "LINK  L FILE a' file.txt' INTERNET-D LOCALHOST(15250) ASCII '/tree/a file.txt' 0",
      {
        kind: "link",
        isUnion: false,
        targetType: "FILE",
        name: "a file.txt",
        location: { ...here, hsoname: "/tree/a file.txt" },
        version: "0",
      },
    ],
    [
      "LINK U DIRECTORY uni INTERNET-D other.example ASCII '/d' 3 DEST-EXP 0",
      {
        kind: "link",
        isUnion: true,
        targetType: "DIRECTORY",
        name: "uni",
        location: { ...here, host: "other.example", port: undefined, hsoname: "/d" },
        version: "3",
      },
    ],
    [
      "LINK L SYMBOLIC sym VIRTUAL-SYSTEM '/vs(x)' ASCII '/path'",
      {
        kind: "link",
        isUnion: false,
        targetType: "SYMBOLIC",
        name: "sym",
        location: {
          hostType: "VIRTUAL-SYSTEM",
          host: "/vs(x)",
          port: undefined,
          nameType: "ASCII",
          hsoname: "/path",
        },
        version: "0",
      },
    ],
    [
      "ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 12' bytes'",
      { kind: "attribute", name: "SIZE", values: ["12 bytes"] },
    ],
    [
      "ATTRIBUTE CACHED FIELD ACCESS-METHOD AFTP INTERNET-D h",
      {
        kind: "attribute",
        name: "ACCESS-METHOD",
        values: ["AFTP", "INTERNET-D", "h"],
      },
    ],
    [
      "ATTRIBUTE LINK FIELD ID SEQUENCE REMOTE 4242",
      { kind: "attribute", name: "ID", values: ["REMOTE", "4242"] },
    ],
    ["ID REMOTE 4242", { kind: "attribute", name: "ID", values: ["REMOTE", "4242"] }],
    ["ATTRIBUTE> OBJECT FIELD X y", { kind: "remark" }],
    [
      "LINK L FILE a' name' INTERNET-D h ASCII",
      {
        kind: "link",
        isUnion: false,
        targetType: "FILE",
        name: "a name",
        location: { hostType: "", host: "", port: undefined, nameType: "", hsoname: "" },
        version: "0",
        fault: "the line has no host and object name",
      },
    ],
    [
      "LINK X FILE x INTERNET-D h ASCII /n 0",
      {
        kind: "link",
        isUnion: false,
        targetType: "FILE",
        name: "x",
        location: { hostType: "", host: "", port: undefined, nameType: "", hsoname: "" },
        version: "0",
        fault: "the type of the link is unknown",
      },
    ],
    ["UNRESOLVED a b", { kind: "unresolved", components: ["a", "b"] }],
    ["NONE-FOUND", { kind: "none-found" }],
    ["SUCCESS", { kind: "success" }],
    [
      "FORWARDED INTERNET-D new.example(1525) ASCII '/new/place' 2",
      {
        kind: "forwarded",
        location: {
          hostType: "INTERNET-D",
          host: "new.example",
          port: 1525,
          nameType: "ASCII",
          hsoname: "/new/place",
        },
        version: "2",
      },
    ],
    ["FAILURE NOT-FOUND", { kind: "failure", code: "NOT-FOUND", text: "NOT-FOUND" }],
    [
      "FAILURE  NAME-CONFLICT  other",
      { kind: "failure", code: "NAME-CONFLICT", text: "NAME-CONFLICT other" },
    ],
    ["FAILURE", { kind: "failure", code: "", text: "" }],
    [
      "ERROR Unknown message: FROBNICATE x",
      { kind: "failure", code: "ERROR", text: "Unknown message: FROBNICATE x" },
    ],
    ["VERSION-NOT-SUPPORTED TRY 1-5", { kind: "failure", code: "VERSION-NOT-SUPPORTED", text: "TRY 1-5" }],
    ["VERSION 5 P53.17May94b", { kind: "remark" }],
    ["WARNING MESSAGE 'Going down'", { kind: "warning", code: "MESSAGE", text: "MESSAGE Going down" }],
    [
      "WARNING OUT-OF-DATE it can't be sent",
      { kind: "warning", code: "OUT-OF-DATE", text: "OUT-OF-DATE it can't be sent" },
    ],
    ["WARNING", { kind: "warning", code: "", text: "" }],
    ["PARAMETER VALUE MOTD hello", { kind: "remark" }],
    ["", { kind: "remark" }],
    ["toString", { kind: "remark" }],
  ])("the client parses the reply line %j", (line, read) => {
    expect(parseProsperoReplyLine(line)).toEqual(read);
  });

  it.each([
    "ATTRIBUTE OBJECT INTRINSIC",
    "ATTRIBUTE",
    "FORWARDED",
    // Capture 96 contains a reply of version 1, which has no location.
    "FORWARDED INTERNET-D h",
  ])("the client rejects the reply line %j, which lacks required fields", (line) => {
    expect(() => parseProsperoReplyLine(line)).toThrow(
      expect.objectContaining({ code: "protocol" }) as AccessError,
    );
  });

  it("the client parses arbitrary reply lines or throws an AccessError", () => {
    const word = fc.constantFrom(
      "LINK",
      "ATTRIBUTE",
      "FORWARDED",
      "UNRESOLVED",
      "FAILURE",
      "ID",
      "L",
      "''",
      "'",
      "h(1)",
      "h(99999999999)",
      "\0",
      "\r",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string().map(quoteToken)), { maxLength: 10 }), (words) => {
        try {
          expect(parseProsperoReplyLine(words.join(" ")).kind).toMatch(/^[a-z-]+$/);
        } catch (error) {
          expect(error).toBeInstanceOf(AccessError);
        }
      }),
    );
  });
});
