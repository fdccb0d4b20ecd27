import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../src/guard/redact.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

describe("a redactor masks a secret", () => {
  const secret = 'hun/ter+2 "é"';
  const rows: readonly (readonly [spelling: string, text: string])[] = [
    ["as it is", secret],
    ["as its UTF-8 octets, read as Latin-1", Buffer.from(secret).toString("latin1")],
    ["escaped", encodeURIComponent(secret)],
    ["escaped in lower case", encodeURIComponent(secret).replace(/%../g, (triplet) => triplet.toLowerCase())],
    ["escaped as RFC 1738 has it", "hun%2Fter+2%20%22%C3%A9%22"],
    ["escaped as RFC 1738 has it, in lower case", "hun%2fter+2%20%22%c3%a9%22"],
    ["in JSON", JSON.stringify(secret)],
    ["in base64", base64(secret)],
    ["in base64url", Buffer.from(secret).toString("base64url")],
    ["in hexadecimal digits", Buffer.from(secret).toString("hex")],
    ["in upper-case hexadecimal digits", Buffer.from(secret).toString("hex").toUpperCase()],
  ];
  it.each(rows)("%s", (_spelling, text) => {
    const redact = createRedactor();
    redact.add(secret);
    const masked = redact(`before ${text} between ${text} after`);
    expect(masked).toMatch(/^before "?\*{4}=*"? between "?\*{4}=*"? after$/);
  });

  it.each(["u:", "us:", "use:", "user:"])("in the base64 of basic credentials, behind %j", (user) => {
    const redact = createRedactor();
    redact.add("correct horse");
    const masked = redact(`Basic ${base64(`${user}correct horse`)}`);
    const readable = Buffer.from(masked.replace(/^Basic /, "").replace(/\*{4}.*/, ""), "base64").toString(
      "latin1",
    );
    expect(masked).toContain("****");
    expect(readable.length).toBeLessThanOrEqual(user.length);
  });

  it.each(["", "m", "mo", "mor"])("in the base64 of a longer text, with %j behind it", (behind) => {
    for (const secret of ["abcd", "horse", "secret"]) {
      for (const before of ["", "u", "us"]) {
        const redact = createRedactor();
        redact.add(secret);
        const masked = redact(base64(before + secret + behind));
        expect(masked).toContain("****");
        expect(masked.replace(/\*+/, "").replace(/=+$/, "").length).toBeLessThanOrEqual(8);
      }
    }
  });

  it("in base64 without its padding", () => {
    const redact = createRedactor();
    redact.add("~~~~");
    expect(redact("fn5+fg fn5-fg fn5+fg==")).toBe("**** **** ****==");
  });

  it("within a longer text of JSON", () => {
    const redact = createRedactor();
    redact.add('a"b\\c');
    expect(redact(JSON.stringify('x a"b\\c y'))).toBe('"x **** y"');
  });

  it("that is octets and no text", () => {
    const redact = createRedactor();
    const octets = Uint8Array.of(0xff, 0xfe, 0x41, 0x42);
    redact.add(octets);
    for (const text of ["ÿþAB", "%FF%FEAB", "%ff%feAB", "fffe4142", base64url(octets)])
      expect(redact(text)).toBe("****");
  });

  it("that holds half a character", () => {
    const redact = createRedactor();
    redact.add("a\uD800b");
    expect(redact("a\uD800b a\uFFFDb")).toBe("**** ****");
  });
});

describe("a redactor", () => {
  it("knows nothing at first, and ignores the empty secret", () => {
    const redact = createRedactor();
    redact.add("");
    expect(redact("any text")).toBe("any text");
  });

  it("leaves texts alone that a short secret would be a part of in base64", () => {
    const redact = createRedactor();
    redact.add("a");
    expect(redact(base64("xyz") + base64("bcd"))).toBe(base64("xyzbcd"));
    expect(redact("YQ FhY hYW")).toBe("**** FhY hYW".replaceAll("a", "****"));
  });

  it("masks several secrets, the longer one first", () => {
    const redact = createRedactor();
    redact.add("ab");
    redact.add("abcd");
    expect(redact("abcd ab cd")).toBe("**** **** cd");
  });

  it("takes nothing in a secret for a pattern", () => {
    const redact = createRedactor();
    redact.add("$&.*(");
    expect(redact("x$&.*(y $&")).toBe("x****y $&");
  });

  it("leaves no secret in any text", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 5 }), fc.string(), fc.string(), (secret, before, after) => {
        const redact = createRedactor();
        redact.add(secret);
        if (/^\*+$/.test(secret)) return;
        for (const spelling of [
          secret,
          encodeURIComponent(secret),
          JSON.stringify(secret).slice(1, -1),
          base64(secret),
        ]) {
          expect(redact(`${before}${spelling}${after}`)).not.toContain(secret);
        }
      }),
      { seed: 1738 },
    );
  });
});

function base64url(octets: Uint8Array): string {
  return Buffer.from(octets).toString("base64url");
}
