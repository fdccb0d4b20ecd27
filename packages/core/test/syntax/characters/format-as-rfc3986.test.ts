import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleSyntax } from "../sample-syntax.ts";

// The characters of RFC 3986 §2: reserved, unreserved, and the "%" of an escape.
const uriCharactersPattern = /^(?:[!#$&-;=?-Z[\]_a-z~]|%[0-9A-Fa-f]{2})*$/;

describe("format with the option as: rfc3986", () => {
  it.each([
    ["X-Sample://H/~a", "x-sample://H/~a"],
    ["x-sample://h/[a]|{b}^`", "x-sample://h/%5Ba%5D%7C%7Bb%7D%5E%60"],
    ['x-sample://h/a b"<>', "x-sample://h/a%20b%22%3C%3E"],
    ["x-sample://h/%?%4&%41", "x-sample://h/%25?%254&%41"],
    ["x-sample://h/é#part", "x-sample://h/%C3%A9"],
    ["x-sample://jürgen:pä@Bücher.example.:7/", "x-sample://j%C3%BCrgen:p%C3%A4@xn--bcher-kva.example.:7/"],
    ["x-sample://[::FFFF:1.2.3.4]:/", "x-sample://[::FFFF:1.2.3.4]/"],
    ["x-sample://my_host", "x-sample://my_host"],
  ])("format writes %s as %s in the form of RFC 3986", (text, formatted) => {
    const url = sampleSyntax.parse(text);
    expect(sampleSyntax.format(url, { as: "rfc3986" })).toBe(formatted);
    expect(sampleSyntax.format(sampleSyntax.parse(formatted), { as: "rfc3986" })).toBe(formatted);
  });

  it("format writes a URL of the mode rfc1738 in the form of RFC 1738 even with as: rfc3986", () => {
    const url = sampleSyntax.parse("x-sample://a?b@h/", { mode: "rfc1738" });
    expect(sampleSyntax.format(url, { as: "rfc3986" })).toBe("x-sample://a%3Fb@h/");
  });

  it("format throws TypeError for an unknown value of the option as", () => {
    const url = sampleSyntax.parse("x-sample://h/");
    expect(() => sampleSyntax.format(url, { as: "whatwg" } as never)).toThrow(
      /"as" has to be "rfc1738" or "rfc3986"/,
    );
  });

  it("format with as: rfc3986 uses only characters of RFC 3986, and keeps the meaning of the URL", () => {
    const texts = fc.string({ unit: fc.constantFrom(...Array.from('ab%4~é "<>[]|{}^`?/:@;#')) });
    fc.assert(
      fc.property(texts, (text) => {
        const { url } = sampleSyntax.tryParse(`x-sample://h/${text}`);
        if (!url) return;
        const formatted = sampleSyntax.format(url, { as: "rfc3986" });
        expect(formatted).toMatch(uriCharactersPattern);
        expect(sampleSyntax.normalize(sampleSyntax.parse(formatted))).toBe(sampleSyntax.normalize(url));
      }),
    );
  });
});
