import { percentDecode, UrlSyntaxError } from "@anyscheme/core/syntax";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gophersSyntax, gopherSyntax } from "../src/syntax.ts";

interface ExpectedFields {
  readonly type?: string;
  readonly selector?: string;
  readonly search?: string;
  readonly plus?: string;
}

const ENCODED_FORM = "+%091%0D%0A+-1%0D%0Avalue1%0D%0Avalue2%0D%0A.%0D%0A";

// The examples of RFC 1738 §3.4.1–3.4.9, and then edge cases.
const CONFORMING_URLS: [string, ExpectedFields][] = [
  ["gopher://gopher.example.org:70/0/docs/a.txt", { type: "0", selector: "/docs/a.txt" }],
  ["gopher://h/00sel", { type: "0", selector: "0sel" }],
  ["gopher://h", {}],
  ["gopher://h/", {}],
  ["gopher://h/1", { type: "1", selector: "" }],
  ["gopher://h/7index%09words", { type: "7", selector: "index", search: "words" }],
  ["gopher://h/0sel%09%09+", { type: "0", selector: "sel", search: "", plus: "+" }],
  ["gopher://h/0sel%09%09?", { type: "0", selector: "sel", search: "", plus: "?" }],
  ["gopher://h/0sel%09%09!", { type: "0", selector: "sel", search: "", plus: "!" }],
  ["gopher://h/1sel%09%09$", { type: "1", selector: "sel", search: "", plus: "$" }],
  ["gopher://h/0sel%09%09!+ABSTRACT", { type: "0", selector: "sel", search: "", plus: "!+ABSTRACT" }],
  [
    "gopher://h/0sel%09%09!+ABSTRACT%20+SMELL",
    { type: "0", selector: "sel", search: "", plus: "!+ABSTRACT%20+SMELL" },
  ],
  [
    "gopher://h/0sel%09%09+application/postscript%20Es_ES",
    { type: "0", selector: "sel", search: "", plus: "+application/postscript%20Es_ES" },
  ],
  [`gopher://h/0sel%09%09${ENCODED_FORM}`, { type: "0", selector: "sel", search: "", plus: ENCODED_FORM }],
  ["gopher://h/7sel%09words%09+", { type: "7", selector: "sel", search: "words", plus: "+" }],
  ["gopher://h/7sel%09", { type: "7", selector: "sel", search: "" }],
  ["gopher://h/1%09%09", { type: "1", selector: "", search: "", plus: "" }],
  ["gopher://h//x", { type: "/", selector: "x" }],
  ["gopher://h/?x", { type: "?", selector: "x" }],
  ["gopher://h/%20sel", { type: "%20", selector: "sel" }],
  ["gopher://h/%09sel", { type: "%09", selector: "sel" }],
  ["gopher://h/0a%2509b", { type: "0", selector: "a%2509b" }],
  ["gopher://h/7a?b/c%09d?e/f", { type: "7", selector: "a?b/c", search: "d?e/f" }],
  ["gopher://h/0a%0D%0A%00", { type: "0", selector: "a%0D%0A%00" }],
  ["GOPHER://H/0a;b=c&d:e@f", { type: "0", selector: "a;b=c&d:e@f" }],
];

describe("gopherSyntax.parse", () => {
  it.each(CONFORMING_URLS)(
    "gopherSyntax.parse parses the URL %s and formats it unchanged",
    (text, fields) => {
      const url = gopherSyntax.parse(text, { mode: "rfc1738" });
      const { type, selector, search, plus } = url;
      const none = { type: undefined, selector: undefined, search: undefined, plus: undefined };
      expect({ type, selector, search, plus }).toEqual({ ...none, ...fields });
      expect(gopherSyntax.format(url)).toBe(text);
      expect(url.deviations).toEqual([]);
    },
  );

  it.each([
    ["gopher://h", "1"],
    ["gopher://h/", "1"],
    ["gopher://h/0", "0"],
    ["gopher://h/%37x", "7"],
    ["gopher://h/%e9x", "\u00e9"],
  ])("gopherSyntax.parse decodes the item type of %s as %s", (text, itemType) => {
    expect(gopherSyntax.parse(text).itemType).toBe(itemType);
  });

  it.each([
    ["gopher://h/0a~b", "unsafe", "gopher://h/0a%7Eb"],
    ["gopher://h/~ab", "unsafe", "gopher://h/%7Eab"],
    ["gopher://h/0caf\u00e9", "non-ascii", "gopher://h/0caf%C3%A9"],
    ["gopher://h/7s%09{x}", "unsafe", "gopher://h/7s%09%7Bx%7D"],
    ["gopher://h/7s%09%09+\u4e2d", "non-ascii", "gopher://h/7s%09%09+%E4%B8%AD"],
    ["gopher://h/0a b", "space", "gopher://h/0a%20b"],
    ["gopher://h/0a%0", "bad-escape", "gopher://h/0a%250"],
    ["gopher://h:/0a", "empty-port", "gopher://h/0a"],
    ["gopher://h_x", "host-form", "gopher://h_x"],
    ["gopher://h/0a#b", "fragment", "gopher://h/0a"],
  ])(
    "gopherSyntax.parse parses %s in modern mode with the deviation %s and formats it as %s",
    (text, code, formatted) => {
      const url = gopherSyntax.parse(text);
      expect(url.deviations[0]?.code).toBe(code);
      expect(gopherSyntax.format(url)).toBe(formatted);
      expect(gopherSyntax.canParse(text, { mode: "rfc1738" })).toBe(false);
    },
  );

  it.each([
    ["gopher:h/0a", "missing-slashes", 7],
    ["gopher:///0a", "empty-host", 9],
    ["gopher://user@h/0a", "login-not-allowed", 9],
    ["gopher://h?0a", "bad-host", 10],
    ["gopher://h/0a\tb", "control", 13],
    ["gopher://h/0a\\b", "backslash", 13],
    ["gopher://h/\u00e9a", "bad-gophertype", 11],
    ["gopher://h/%", "bad-gophertype", 11],
    ["gopher://h:70000/", "port-range", 11],
    ["ftp://h/0a", "wrong-scheme", 0],
  ])("gopherSyntax.parse rejects the URL %j with the fault %s", (text, code, index) => {
    expect(gopherSyntax.tryParse(text).fault).toMatchObject({ code, index });
  });

  it("gopherSyntax.parse returns the components of a gopher URL by name", () => {
    expect(gopherSyntax.parse("gopher://h:7070/7a%09b%09+").components()).toEqual({
      scheme: "gopher",
      host: "h",
      port: "7070",
      type: "7",
      selector: "a",
      search: "b",
      plus: "+",
    });
  });

  it("gopherSyntax.parse parses a gophers URL with the same fields and default port as a gopher URL", () => {
    const url = gophersSyntax.parse("gophers://h/7a%09b");
    expect([url.scheme, url.effectivePort, url.selector, url.search]).toEqual(["gophers", 70, "a", "b"]);
    expect(gopherSyntax.canParse("gophers://h/")).toBe(false);
  });
});

const arbitraryBytes = (excluded: number[] = []): fc.Arbitrary<Uint8Array> =>
  fc
    .uint8Array({ maxLength: 12 })
    .map((array) => Uint8Array.from(array.filter((byte) => !excluded.includes(byte))));

describe("gopherSyntax.build", () => {
  it.each([
    [{ host: "h" }, "gopher://h/"],
    [{ host: "h", port: 7070 }, "gopher://h:7070/"],
    [{ host: "h", type: "0", selector: "/a b" }, "gopher://h/0/a%20b"],
    [{ host: "h", selector: "sel" }, "gopher://h/1sel"],
    [{ host: "h", type: "1" }, "gopher://h/1"],
    [{ host: "h", type: "7", selector: "s", search: "a?b" }, "gopher://h/7s%09a?b"],
    [{ host: "h", type: "0", selector: "s", plus: "+" }, "gopher://h/0s%09%09+"],
    [
      { host: "h", type: "0", selector: "s", plus: "!+ABSTRACT +SMELL" },
      "gopher://h/0s%09%09!+ABSTRACT%20+SMELL",
    ],
    [
      { host: "h", type: "0", selector: "s", plus: "+\t1\r\n+-1\r\nvalue1\r\nvalue2\r\n.\r\n" },
      `gopher://h/0s%09%09${ENCODED_FORM}`,
    ],
    [{ host: "h", type: Uint8Array.of(0xe9), selector: "" }, "gopher://h/%E9"],
    [{ host: "h", type: "0", selector: "%09" }, "gopher://h/0%2509"],
  ])("gopherSyntax.build, given the parts %j, creates the URL %s", (parts, text) => {
    expect(gopherSyntax.build(parts).href).toBe(text);
  });

  it.each([
    [{ host: "h", type: "" }, "bad-gophertype"],
    [{ host: "h", type: "01" }, "bad-gophertype"],
    [{ host: "h", type: "\u00e9" }, "bad-gophertype"],
    [{ host: "h", selector: "a\tb" }, "tab-in-field"],
    [{ host: "h", search: "a\tb" }, "tab-in-field"],
    [{ host: "h/x", selector: "a" }, "bad-host"],
  ])("gopherSyntax.build refuses to build a URL from the parts %j with the fault %s", (parts, code) => {
    const build = (): unknown => gopherSyntax.build(parts);
    expect(build).toThrow(UrlSyntaxError);
    expect(build).toThrow(expect.objectContaining({ code }) as Error);
  });

  it("gopherSyntax.build and parse keep every byte of every field", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 255 }),
        arbitraryBytes([9]),
        arbitraryBytes([9]),
        fc.option(arbitraryBytes(), { nil: undefined }),
        (type, selector, search, plus) => {
          const url = gopherSyntax.build({ host: "h", type: Uint8Array.of(type), selector, search, plus });
          expect(percentDecode(url.type ?? "")).toEqual(Uint8Array.of(type));
          expect(percentDecode(url.selector ?? "")).toEqual(selector);
          expect(percentDecode(url.search ?? "")).toEqual(search);
          expect(url.plus === undefined ? undefined : percentDecode(url.plus)).toEqual(plus);
        },
      ),
    );
  });
});

describe("gopherSyntax.format", () => {
  const chunk = fc.constantFrom("%09", "%2509", "%e9", "%0D", "a", "/", "?", "+", "7", ";");

  it("gopherSyntax.format formats every conforming gopher URL unchanged", () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 12 }), (chunks) => {
        const text = `gopher://h:70/${chunks.join("")}`;
        expect(gopherSyntax.format(gopherSyntax.parse(text, { mode: "rfc1738" }))).toBe(text);
      }),
    );
  });

  it("gopherSyntax.format formats every gopher URL as a conforming URL with the same fields", () => {
    const loose = fc.constantFrom("~", "\u00e9", "{", "\u{1f600}");
    fc.assert(
      fc.property(fc.array(fc.oneof(chunk, loose), { maxLength: 12 }), (chunks) => {
        const text = `gopher://h/0${chunks.join("")}`;
        const url = gopherSyntax.parse(text);
        const again = gopherSyntax.parse(gopherSyntax.format(url), { mode: "rfc1738" });
        for (const name of ["type", "selector", "search", "plus"] as const) {
          expect(again[name] === undefined).toBe(url[name] === undefined);
          expect(percentDecode(again[name] ?? "")).toEqual(percentDecode(url[name] ?? ""));
        }
      }),
    );
  });
});
