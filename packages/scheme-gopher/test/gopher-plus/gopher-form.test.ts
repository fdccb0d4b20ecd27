import type { FormValue } from "@anyscheme/core";
import { percentDecode } from "@anyscheme/core/syntax";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gopherSyntax } from "../../src/index.ts";
import { buildGopherFormSubmissionUrl, parseAskBlock } from "../../src/gopher-plus/gopher-form.ts";
import { encodeGopherRequest } from "../../src/request.ts";
import { SUBMITTED_GOPHER_PLUS_FORM, ASK_BLOCK } from "./gopherd-responses.ts";

const formItemUrl = gopherSyntax.parse("gopher://h.example/00/order%09%09?");
const gopherdFormLines = ASK_BLOCK.split("\r\n")
  .slice(1, -1)
  .map((line) => line.slice(1));

/** Returns the decoded Gopher+ string of a form, one character per byte. */
function encodeFormText(lines: readonly string[], values: Readonly<Record<string, FormValue>>): string {
  const { plus = "" } = buildGopherFormSubmissionUrl(formItemUrl, parseAskBlock(lines), values);
  return Buffer.from(percentDecode(plus)).toString("latin1");
}

describe("parseAskBlock parses the questions of a Gopher+ form", () => {
  it.each([
    ["Note: Please fill in", { kind: "note", label: "Please fill in" }],
    ["Ask: How many volts?\t110", { kind: "text", label: "How many volts?", initialValue: "110" }],
    ["Ask: Name", { kind: "text", label: "Name" }],
    ["Ask: Name\t", { kind: "text", label: "Name", initialValue: "" }],
    ["AskP: Password", { kind: "password", label: "Password" }],
    ["AskL: Comments\tnone", { kind: "long-text", label: "Comments", initialValue: "none" }],
    ["AskF: Save as\tfile", { kind: "text", label: "Save as", initialValue: "file" }],
    ["Select: Loud?\t0", { kind: "switch", label: "Loud?", initialValue: false }],
    ["Select: Loud?\t1", { kind: "switch", label: "Loud?", initialValue: true }],
    ["Select: Loud?", { kind: "switch", label: "Loud?" }],
    [
      "Choose: Now?\tYes\tNot!",
      { kind: "choice", label: "Now?", choices: ["Yes", "Not!"], initialValue: "Yes" },
    ],
    ["ChooseF: Which file", { kind: "file", label: "Which file" }],
    ["ASKP: in capitals", { kind: "password", label: "in capitals" }],
    ["AskX: Something new", { kind: "note", label: "AskX: Something new" }],
    ["no keyword", { kind: "note", label: "no keyword" }],
    ["constructor: Pw", { kind: "note", label: "constructor: Pw" }],
    ["hasOwnProperty: Pw\tx", { kind: "note", label: "hasOwnProperty: Pw\tx" }],
    ["Ask: __proto__\tx", { kind: "text", label: "__proto__", initialValue: "x" }],
  ])("parseAskBlock parses the line %j of an +ASK block", (line, expected) => {
    const [field] = parseAskBlock([line]);
    expect(field).toMatchObject(expected);
    expect(field?.name).toBe(field?.label);
    expect(field?.initialValue).toEqual((expected as { initialValue?: unknown }).initialValue);
  });

  it("parseAskBlock adds a number to the name of a form field with the label of another field", () => {
    const names = parseAskBlock(["Ask: a", "Ask: a 2", "Ask: a", "Note: a"]).map(({ name }) => name);
    expect(names).toEqual(["a", "a 2", "a 3", "a 4"]);
  });

  // If the search for a free number began at 2 for each label, the test would exceed its time limit with 2 × 10¹⁰
  // steps.
  it("parseAskBlock numbers 200 000 fields with the same label in one pass", () => {
    const fields = parseAskBlock(Array.from({ length: 200_000 }, () => "Ask: a"));
    expect(new Set(fields.map(({ name }) => name)).size).toBe(200_000);
    expect(fields.at(-1)?.name).toBe("a 200000");
  });
});

describe("buildGopherFormSubmissionUrl encodes the values of a Gopher+ form", () => {
  it("buildGopherFormSubmissionUrl encodes a form in the same bytes as the Gopher client of the University of Minnesota", () => {
    const values = {
      "How many volts?": "110",
      Password: "secret",
      Comments: "first line\nsecond line\n",
      "Loud?": true,
      "Shock now?": "Yes",
    };
    expect(encodeFormText(gopherdFormLines, values)).toBe(SUBMITTED_GOPHER_PLUS_FORM);
  });

  it("buildGopherFormSubmissionUrl encodes the server's initial value of each field that the caller does not fill in", () => {
    expect(encodeFormText(gopherdFormLines, {})).toBe("+\t1\r\n+-1\r\n110\r\n\r\n0\r\n0\r\nYes\r\n.\r\n");
  });

  it.each([
    [["Ask: a"], { a: "" }, "\r\n"],
    [["Ask: a\tx"], { a: "" }, "\r\n"],
    [["Ask: a"], { a: "Ch\u00e9ri" }, "Ch\xc3\xa9ri\r\n"],
    [["Ask: a"], { a: ".." }, "..\r\n"],
    [["Select: a\t1"], { a: false }, "0\r\n"],
    [["Choose: a\tx\ty"], { a: "y" }, "y\r\n"],
    [["AskL: a"], { a: "" }, "0\r\n"],
    [["AskL: a"], { a: "one" }, "1\r\none\r\n"],
    [["AskL: a"], { a: "one\r\n\r\ntwo" }, "3\r\none\r\n\r\ntwo\r\n"],
    [["AskF: a\tfile"], {}, "file\r\n"],
    [["ChooseF: a"], {}, ""],
    [["ChooseF: a"], { a: "one\ntwo\n" }, "one\r\ntwo\r\n"],
    [["ChooseF: a"], { a: Buffer.from("caf\xe9\r\n", "latin1") }, "caf\xe9\r\n"],
    [["Note: a", "Ask: b"], { b: "x" }, "x\r\n"],
  ])(
    "buildGopherFormSubmissionUrl encodes a form with the questions %j and the values %j",
    (lines, values, sent) => {
      expect(encodeFormText(lines, values)).toBe(`+\t1\r\n+-1\r\n${sent}.\r\n`);
    },
  );

  it.each<[string[], Record<string, FormValue>, RegExp]>([
    [["Ask: a"], { b: "x" }, /no field "b"/],
    [["Ask: a"], { toString: "x" }, /no field "toString"/],
    [["Note: a"], { a: "x" }, /"a": a note accepts no value/],
    [["Ask: a"], { a: true }, /"a": the value must be text/],
    [["Ask: a"], { a: Buffer.from("x") }, /"a": the value must be text/],
    [["Ask: a"], { a: "x\ny" }, /one line/],
    [["Ask: a"], { a: "x\r" }, /one line/],
    [["AskP: a"], { a: "x\0" }, /without NUL/],
    [["Ask: a"], { a: "." }, /single dot/],
    [["Ask: a\t."], {}, /single dot/],
    [["AskL: a"], { a: "x\n.\ny" }, /single dot/],
    [["AskL: a"], { a: "x\ry" }, /one line/],
    [["AskL: a"], { a: true }, /the value must be text/],
    [["ChooseF: a"], { a: "x\r\n.\r\ny" }, /single dot/],
    [["ChooseF: a"], { a: Buffer.from("\0") }, /NUL/],
    [["ChooseF: a"], { a: false }, /the value must be text/],
    [["Select: a"], { a: "1" }, /true or false/],
    [["Choose: a\tx\ty"], { a: "z" }, /one of: x, y/],
    [["Choose: a"], {}, /one of/],
  ])(
    "buildGopherFormSubmissionUrl refuses to encode a form with the questions %j and the values %j: %s",
    (lines, values, message) => {
      const fill = (): unknown => encodeFormText(lines, values);
      expect(fill).toThrow(TypeError);
      expect(fill).toThrow(message);
    },
  );

  it("buildGopherFormSubmissionUrl encodes all form values so that the request contains them unchanged", () => {
    const text = fc
      .string({ unit: "grapheme" })
      .filter((each) => !/[\x00-\x1f\x7f]/.test(each) && each !== ".");
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 4 }), fc.boolean(), (one, many, flag) => {
        const fields = parseAskBlock(["Ask: a", "AskL: b", "Select: c"]);
        const url = buildGopherFormSubmissionUrl(formItemUrl, fields, {
          a: one,
          b: many.map((line) => `${line}\n`).join(""),
          c: flag,
        });
        const again = gopherSyntax.parse(url.href, { mode: "rfc1738" });
        const { bytes } = encodeGopherRequest(again, { allowForms: true });
        const lines = [one, String(many.length), ...many, flag ? "1" : "0", "."];
        expect(Buffer.from(bytes).toString()).toBe(
          `0/order\t+\t1\r\n+-1\r\n${lines.map((line) => `${line}\r\n`).join("")}`,
        );
      }),
    );
  });

  it("buildGopherFormSubmissionUrl encodes a form value of 100 000 characters", () => {
    const long = "x".repeat(100_000);
    expect(encodeFormText(["Ask: a"], { a: long })).toContain(long);
  });

  it("the client masks the values of a submitted form in the text and the JSON of its URL", () => {
    const url = buildGopherFormSubmissionUrl(formItemUrl, parseAskBlock(["AskP: a"]), { a: "s3cret" });
    expect(url.href).toContain("s3cret");
    expect([String(url), JSON.stringify({ url })].join()).not.toContain("s3cret");
    expect(String(url)).toBe("gopher://h.example/00/order%09%09+%091****");
  });
});
