import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EMPTY_HOST, Diagnostics, RESERVED, ucharPlus } from "../../src/syntax/index.ts";
import { judge, sampleSyntax } from "./sample-syntax.ts";

const before = "x-sample://h/";

describe("characters outside their class", () => {
  const always: (readonly [character: string, code: string])[] = [
    [" ", "space"],
    ['"', "delimiter"],
    ["<", "delimiter"],
    [">", "delimiter"],
    ["\\", "backslash"],
    ["\u007F", "control"],
    ["\u0080", "control"],
    ["\u009F", "control"],
    ["\uD800", "lone-surrogate"],
    ["\uDC00", "lone-surrogate"],
    ["%", "bad-escape"],
    ["%4", "bad-escape"],
    ["%4g", "bad-escape"],
    ["%x0", "bad-escape"],
    ["%\uFF11\uFF11", "bad-escape"],
  ];
  for (let code = 0; code < 0x20; code++) always.push([String.fromCharCode(code), "control"]);
  it.each(always)("%j is refused in both modes: %s", (character, code) => {
    for (const mode of ["strict", "tolerant"] as const) {
      expect(sampleSyntax.tryParse(`${before}a${character}`, { mode }).fault).toMatchObject({
        code,
        index: 14,
      });
      expect(sampleSyntax.tryParse(`${before}a${character}z`, { mode }).fault).toMatchObject({
        code,
        index: 14,
      });
    }
  });

  it.each(Array.from("{}|^~[]`"))("%s is let in tolerantly", (character) => {
    expect(judge(`${before}${character}`, "strict")).toBe("unsafe");
    const url = sampleSyntax.parse(`${before}a${character}`);
    const escape = `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
    expect(url.deviations).toMatchObject([
      { code: "unsafe", index: 14, length: 1, section: "2.2", suggestion: `write "${escape}"` },
    ]);
    expect(sampleSyntax.format(url)).toBe(`${before}a${escape}`);
  });

  it.each([
    ["é", 1, "%C3%A9"],
    ["\u00A0", 1, "%C2%A0"],
    ["中", 1, "%E4%B8%AD"],
    ["😀", 2, "%F0%9F%98%80"],
  ])("%s is let in tolerantly, as its UTF-8", (character, length, escapes) => {
    expect(judge(`${before}${character}`, "strict")).toBe("non-ascii");
    const url = sampleSyntax.parse(`${before}${character}x`);
    expect(url.deviations).toMatchObject([{ code: "non-ascii", index: 13, length }]);
    expect(sampleSyntax.format(url)).toBe(`${before}${escapes}x`);
  });

  it("reports the length of a broken escape within the component", () => {
    const lengths = ["%", "%4", "%4g", "%zzz"].map(
      (end) => sampleSyntax.tryParse(before + end).fault?.length,
    );
    expect(lengths).toEqual([1, 2, 3, 3]);
  });

  it("reserved characters pass where the scheme says so", () => {
    const reading = new Diagnostics("x:a=b", "tolerant", 2);
    expect(reading.check(2, 5, ucharPlus(""), { reserved: "=" })).toBe(true);
    expect(reading.deviations).toMatchObject([{ code: "reserved", index: 3 }]);
    const other = new Diagnostics("x:a=b~", "tolerant", 2);
    expect(other.check(2, 5, ucharPlus(""), { reserved: "/" })).toBe(false);
    expect(other.fault).toMatchObject({ code: "reserved", index: 3 });
    expect(new Diagnostics("x:~", "tolerant", 2).check(2, 3, ucharPlus(""), { national: false })).toBe(false);
  });

  it("keeps the first fault", () => {
    const reading = new Diagnostics("x:", "strict", 2);
    reading.reportFault(RESERVED, 1, 1, "one");
    reading.reportDeviation(EMPTY_HOST, 2, 1, "two");
    expect(reading.fault).toMatchObject({ code: "reserved", suggestion: "one" });
  });
});

describe("fragments", () => {
  it.each([
    [`${before}a`, undefined],
    [`${before}a#`, ""],
    [`${before}a#b`, "b"],
    [`${before}a#b#c`, "b#c"],
    [`${before}a#/?%zz~é😀`, "/?%zz~é😀"],
    ["x-sample://h#b@evil/", "b@evil/"],
  ])("%s has the fragment %j", (text, fragment) => {
    const url = sampleSyntax.parse(text);
    expect(url.fragment).toBe(fragment);
    expect(url.host).toBe("h");
    expect(url.href).toBe(text);
    expect(sampleSyntax.format(url)).toBe(text.replace(/#.*/s, ""));
    expect(judge(text, "strict")).toBe(fragment === undefined ? "ok" : "fragment");
  });

  it.each([" ", "\n", "\u0000", "\\", '"', "<", "\uD800"])("never hold %j", (character) => {
    expect(judge(`${before}#a${character}b`, "tolerant")).not.toMatch(/^ok/);
  });

  it.each([
    ["x-sample://h/é#x", ["non-ascii", "fragment"]],
    ["x-sample://h_#é", ["host-form", "fragment"]],
    ["x-sample://h/~é~#", ["unsafe", "non-ascii", "unsafe", "fragment"]],
  ])("are found in the order of the text: %s", (text, codes) => {
    const { deviations } = sampleSyntax.parse(text);
    expect(deviations.map(({ code }) => code)).toEqual(codes);
    expect(judge(text, "strict")).toBe(codes[0]);
  });

  it.each([
    ["x-sample://h/a b#\n", "space", 14],
    ["x-sample://h/a#b c", "space", 16],
    ["x-sample://h/a#😀\\", "backslash", 17],
  ])("%j is refused at the first fault", (text, code, index) => {
    expect(sampleSyntax.tryParse(text).fault).toMatchObject({ code, index, length: 1 });
  });

  it("do not end the text before the path when they are escaped", () => {
    expect(sampleSyntax.parse(`${before}a%23b`, { mode: "strict" }).path).toBe("a%23b");
  });
});

describe("one reading, two modes", () => {
  const pieces = fc.constantFrom(
    "a",
    "%41",
    "%",
    "~",
    "é",
    " ",
    "#",
    "?",
    "@",
    ":",
    "/",
    "//",
    "h.example",
    "[::1]",
    "_",
    "1",
    ".",
  );
  const texts = fc.array(pieces, { maxLength: 10 }).map((all) => `x-sample://${all.join("")}`);

  it("strict refuses with the first deviation of tolerant", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const strict = sampleSyntax.tryParse(text, { mode: "strict" });
        const { url, fault } = sampleSyntax.tryParse(text);
        if (url) expect(strict.fault).toEqual(url.deviations[0]);
        else
          expect([fault.code, "fragment", "host-form", "empty-port", "unsafe", "non-ascii"]).toContain(
            strict.fault?.code,
          );
      }),
      { seed: 1738, numRuns: 2000 },
    );
  });

  it("what tolerant writes, strict reads, unless the host has no form in RFC 1738", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { url } = sampleSyntax.tryParse(text);
        if (!url) return;
        const written = sampleSyntax.format(url);
        expect(sampleSyntax.format(sampleSyntax.parse(written))).toBe(written);
        if (!/[[_]|\.$/.test(url.host)) expect(judge(written, "strict")).toBe("ok");
        if (url.deviations.length === 0 && url.alternativeHosts.length === 0) expect(written).toBe(text);
      }),
      { seed: 1738, numRuns: 2000 },
    );
  });
});
