import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  EMPTY_HOST_FAULT,
  ParseDiagnostics,
  RESERVED_CHARACTER_FAULT,
  extendUchar,
} from "../../../src/syntax/index.ts";
import { parseToFaultOrDeviationCodes, sampleSyntax } from "../sample-syntax.ts";

const urlPrefix = "x-sample://h/";

describe("characters that RFC 1738 does not allow in a component", () => {
  const always: (readonly [character: string, code: string])[] = [
    ["\\", "backslash"],
    ["\u007F", "control"],
    ["\u0080", "control"],
    ["\u009F", "control"],
    ["\uD800", "lone-surrogate"],
    ["\uDC00", "lone-surrogate"],
  ];
  for (let code = 0; code < 0x20; code++) always.push([String.fromCharCode(code), "control"]);
  it.each(always)("both modes reject the character %j with the fault %s", (character, code) => {
    for (const mode of ["rfc1738", "modern"] as const) {
      expect(sampleSyntax.tryParse(`${urlPrefix}a${character}z`, { mode }).fault).toMatchObject({
        code,
        index: 14,
      });
    }
  });

  it.each([
    [" ", "space", "%20", undefined],
    ['"', "delimiter", "%22", undefined],
    ["<", "delimiter", "%3C", undefined],
    [">", "delimiter", "%3E", undefined],
    ["%", "bad-escape", "%25", undefined],
    ["%4", "bad-escape", "%254", undefined],
    ["%4g", "bad-escape", "%254g", undefined],
    ["%x0", "bad-escape", "%25x0", undefined],
    ["~", "unsafe", "%7E", "RFC 3986 §2.3"],
    ["|", "unsafe", "%7C", undefined],
    ["é", "non-ascii", "%C3%A9", "RFC 3987 §2.2"],
  ])(
    "modern mode accepts the character %j with the deviation %s",
    (character, code, escaped, allowedByRfc) => {
      expect(parseToFaultOrDeviationCodes(`${urlPrefix}a${character}z`, "rfc1738")).toBe(code);
      const url = sampleSyntax.parse(`${urlPrefix}a${character}z`);
      expect(url.deviations).toMatchObject([{ code, index: 14, allowedByRfc }]);
      expect(sampleSyntax.format(url)).toBe(`${urlPrefix}a${escaped}z`);
      expect(sampleSyntax.tryParse(`x-sample://a${character}z@h/`).fault?.code).toBe(
        code === "non-ascii" ? undefined : code,
      );
    },
  );

  it("modern mode accepts percent signs without digits, and checks the characters after them", () => {
    expect(sampleSyntax.format(sampleSyntax.parse(`${urlPrefix}%%4%zz`))).toBe(`${urlPrefix}%25%254%25zz`);
    expect(parseToFaultOrDeviationCodes(`${urlPrefix}%\n%`, "modern")).toBe("control");
    expect(parseToFaultOrDeviationCodes(`${urlPrefix}%4\n%`, "modern")).toBe("control");
  });

  it.each(["\n", " ", "\t \r\n\f"])("modern mode removes the white space %j around a URL", (blanks) => {
    const text = `${urlPrefix}a${blanks}b`;
    expect(sampleSyntax.tryParse(`${blanks}${urlPrefix}a${blanks}`).url?.href).toBe(`${urlPrefix}a`);
    expect(sampleSyntax.canParse(`${urlPrefix}a${blanks}`, { mode: "rfc1738" })).toBe(false);
    expect(sampleSyntax.tryParse(text, { mode: "rfc1738" }).fault?.index).toBe(14);
  });

  it.each(Array.from("{}|^~[]`"))("modern mode accepts the unsafe character %s", (character) => {
    expect(parseToFaultOrDeviationCodes(`${urlPrefix}${character}`, "rfc1738")).toBe("unsafe");
    const url = sampleSyntax.parse(`${urlPrefix}a${character}`);
    const escape = `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
    expect(url.deviations).toMatchObject([
      { code: "unsafe", index: 14, length: 1, section: "2.2", suggestion: `write "${escape}"` },
    ]);
    expect(sampleSyntax.format(url)).toBe(`${urlPrefix}a${escape}`);
  });

  it.each([
    ["é", 1, "%C3%A9"],
    ["\u00A0", 1, "%C2%A0"],
    ["中", 1, "%E4%B8%AD"],
    ["😀", 2, "%F0%9F%98%80"],
  ])("modern mode accepts the character %s and encodes it as UTF-8", (character, length, escapes) => {
    expect(parseToFaultOrDeviationCodes(`${urlPrefix}${character}`, "rfc1738")).toBe("non-ascii");
    const url = sampleSyntax.parse(`${urlPrefix}${character}x`);
    expect(url.deviations).toMatchObject([{ code: "non-ascii", index: 13, length }]);
    expect(sampleSyntax.format(url)).toBe(`${urlPrefix}${escapes}x`);
  });

  it("the fault of a broken escape has the length of the escape within the component", () => {
    const lengths = ["%", "%4", "%4g", "%zzz"].map(
      (end) => sampleSyntax.tryParse(urlPrefix + end, { mode: "rfc1738" }).fault?.length,
    );
    expect(lengths).toEqual([1, 2, 3, 3]);
  });

  it("modern mode accepts only the reserved characters that the grammar of a scheme lists", () => {
    const reading = new ParseDiagnostics("x:a=b", "modern", 2);
    expect(reading.checkCharacters(2, 5, extendUchar(""), { reserved: "=" })).toBe(true);
    expect(reading.deviations).toMatchObject([{ code: "reserved", index: 3 }]);
    const other = new ParseDiagnostics("x:a=b~", "modern", 2);
    expect(other.checkCharacters(2, 5, extendUchar(""), { reserved: "/" })).toBe(false);
    expect(other.fault).toMatchObject({ code: "reserved", index: 3 });
    expect(
      new ParseDiagnostics("x:~", "modern", 2).checkCharacters(2, 3, extendUchar(""), { unsafe: false }),
    ).toBe(false);
  });

  it("ParseDiagnostics keeps the first fault that is reported", () => {
    const reading = new ParseDiagnostics("x:", "rfc1738", 2);
    reading.reportFault(RESERVED_CHARACTER_FAULT, 1, 1, "one");
    reading.reportDeviation(EMPTY_HOST_FAULT, 2, 1, "two");
    expect(reading.fault).toMatchObject({ code: "reserved", suggestion: "one" });
  });
});

describe("fragments", () => {
  it.each([
    [`${urlPrefix}a`, undefined],
    [`${urlPrefix}a#`, ""],
    [`${urlPrefix}a#b`, "b"],
    [`${urlPrefix}a#b#c`, "b#c"],
    [`${urlPrefix}a#/?%zz~é😀 "<\\`, '/?%zz~é😀 "<\\'],
    ["x-sample://h#b@evil/", "b@evil/"],
  ])("parse separates the URL %s from its fragment %j", (text, fragment) => {
    const url = sampleSyntax.parse(text);
    expect(url.fragment).toBe(fragment);
    expect(url.host).toBe("h");
    expect(url.href).toBe(text);
    expect(sampleSyntax.format(url)).toBe(text.replace(/#.*/s, ""));
    expect(parseToFaultOrDeviationCodes(text, "rfc1738")).toBe(fragment === undefined ? "ok" : "fragment");
  });

  it.each(["\n", "\u0000", "\u0085", "\uD800"])(
    "modern mode rejects the character %j in a fragment",
    (character) => {
      expect(parseToFaultOrDeviationCodes(`${urlPrefix}#a${character}b`, "modern")).not.toMatch(/^ok/);
    },
  );

  it.each([
    ["x-sample://h/é#x", ["non-ascii", "fragment"]],
    ["x-sample://h_#é", ["host-form", "fragment"]],
    ["x-sample://h/~é~#", ["unsafe", "non-ascii", "unsafe", "fragment"]],
  ])("url.deviations lists the deviations of %s in the order of the text", (text, codes) => {
    const { deviations } = sampleSyntax.parse(text);
    expect(deviations.map(({ code }) => code)).toEqual(codes);
    expect(parseToFaultOrDeviationCodes(text, "rfc1738")).toBe(codes[0]);
  });

  it.each([
    ["x-sample://h/a\\b#\n.", "backslash", 14],
    ["x-sample://h/a#b\nc", "control", 16],
    ["x-sample://h/a#😀\0", "control", 17],
  ])("tryParse reports only the first fault of %j", (text, code, index) => {
    expect(sampleSyntax.tryParse(text).fault).toMatchObject({ code, index, length: 1 });
  });

  it("an escaped number sign is a part of the path and begins no fragment", () => {
    expect(sampleSyntax.parse(`${urlPrefix}a%23b`, { mode: "rfc1738" }).path).toBe("a%23b");
  });
});

describe("the two modes of a syntax", () => {
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
  const texts = fc.array(pieces, { maxLength: 10 }).map((all) => `x-sample://${all.join("").trimEnd()}`);

  it("the mode rfc1738 rejects a text with the first deviation that modern mode reports", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const strict = sampleSyntax.tryParse(text, { mode: "rfc1738" });
        const { url, fault } = sampleSyntax.tryParse(text);
        if (url) expect(strict.fault).toEqual(url.deviations[0]);
        else
          expect([
            fault.code,
            "fragment",
            "host-form",
            "empty-port",
            "unsafe",
            "non-ascii",
            "space",
            "bad-escape",
            ...(fault.code === "login-question-mark"
              ? [undefined, "empty-host", "bad-host", "bad-host-number", "escape-in-host", "at-sign"]
              : []),
          ]).toContain(strict.fault?.code);
      }),
      { seed: 1738, numRuns: 2000 },
    );
  });

  it("format returns a conforming URL, unless RFC 1738 has no form of the host", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { url } = sampleSyntax.tryParse(text);
        if (!url) return;
        const written = sampleSyntax.format(url);
        expect(sampleSyntax.format(sampleSyntax.parse(written))).toBe(written);
        if (!/[[_]|\.$/.test(url.host)) expect(parseToFaultOrDeviationCodes(written, "rfc1738")).toBe("ok");
        if (url.deviations.length === 0) expect(written).toBe(text.trim());
      }),
      { seed: 1738, numRuns: 2000 },
    );
  });
});
