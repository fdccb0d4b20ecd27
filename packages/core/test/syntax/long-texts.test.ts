import { describe, expect, it } from "vitest";
import {
  defineSyntax,
  createGenericSyntax,
  GenericUrl,
  authorityRegExpSource,
  xchar,
} from "@anyscheme/core/syntax";
import { sampleSyntax } from "./sample-syntax.ts";

const LONG_TEXT_LENGTH = 10_000_000;
const options = { mode: "rfc1738", maxLength: Infinity } as const;

describe("texts of 10 MB, which would exhaust the stack of a regular expression", () => {
  const generic = createGenericSyntax();

  it.each([
    { unit: "%41", internet: false },
    { unit: "//a.", internet: false },
    { unit: "//%41", internet: false },
  ])("the scheme-specific part of x:$unit… is opaque", ({ unit, internet }) => {
    const { url } = generic.tryParse(`x:${unit.repeat(LONG_TEXT_LENGTH / unit.length)}`, options);
    expect(url?.hasAuthority).toBe(internet);
  });

  it.each([
    ["a.", "host-form"],
    ["a..", "bad-host"],
    ["a-", "host-form"],
    ["1.", "bad-host-number"],
    ["%41", "escape-in-host"],
    ["a:%41", "bad-port"],
    ["@", "at-sign"],
  ])("the long URL x-sample://%s… has the fault %s", (unit, code) => {
    const { fault } = sampleSyntax.tryParse(
      `x-sample://${unit.repeat(LONG_TEXT_LENGTH / unit.length)}`,
      options,
    );
    expect(fault?.code).toBe(code);
  });

  it.each(["a.", "a-", "-", "1."])(
    "the long URL x://%s…a has a host, or is opaque when it begins with a hyphen",
    (unit) => {
      const host = `${unit.repeat(LONG_TEXT_LENGTH / unit.length)}a`;
      const { url } = generic.tryParse(`x://${host}/path`, options);
      expect(url?.host.length).toBe(unit === "-" ? 0 : host.length);
    },
  );

  it.each([
    ["a long host name with an empty label", "a..b"],
    ["a long host name with -.", "a-.b"],
    ["a long host name with .-", "a.-b"],
    ["a long host name with a digit at the beginning of its top label", "a.1b"],
    ["a long host name with a dot at its end", "a."],
    ["a long host name with an underscore", "a_b"],
  ])("%s is not accepted as a host", (_, end) => {
    const { url } = generic.tryParse(`x://${"a.".repeat(200)}${end}/`, options);
    expect(url?.hasAuthority).toBe(false);
  });
});

it("white space around a text is removed in linear time", () => {
  const blanks = " ".repeat(500_000);
  const { url } = sampleSyntax.tryParse(`${blanks}x-sample://h/a${blanks}b${blanks}`, {
    maxLength: Infinity,
  });
  expect(url?.href.length).toBe(blanks.length + "x-sample://h/ab".length);
});

describe("the faults in the mode rfc1738", () => {
  it("tryParse computes the fault only once, when a program first reads it", () => {
    const result = createGenericSyntax().tryParse("x:a b", { mode: "rfc1738" });
    expect(result.url).toBeUndefined();
    expect(result.fault).toMatchObject({ code: "space", index: 3 });
    expect(result.fault).toBe(result.fault);
  });

  it("tryParse throws when a grammar rejects a text and reports neither a fault nor a deviation", () => {
    const syntax = defineSyntax<GenericUrl, { readonly schemePart: string }>({
      schemes: ["x"],
      schemePartPattern: `//${authorityRegExpSource}`,
      reportDeviations: (reading) =>
        reading.checkCharacters(reading.schemePartStart, reading.schemePartEnd, xchar),
      createUrlFromText: (text, found) => new GenericUrl(text, found),
      formatUrl: (parts, escape) => `x:${escape(parts.schemePart, xchar)}`,
    });
    expect(syntax.canParse("x:opaque", { mode: "rfc1738" })).toBe(false);
    expect(() => syntax.tryParse("x:opaque", { mode: "rfc1738" }).fault).toThrow("refused without a fault");
  });
});
