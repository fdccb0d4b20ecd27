import { readFileSync } from "node:fs";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  type UrlMatch,
  extractUrls,
  type InvalidUrlMatch,
  type ExtractUrlsParser,
} from "../../src/extract/extract.ts";
import { type GenericUrl, createGenericSyntax, type Url } from "../../src/syntax/index.ts";
import { formatUrlMatchForTest, urlParsersForExtractTests } from "./url-parsers-for-extract-tests.ts";
import { type XSampleUrl, sampleSyntax } from "../syntax/sample-syntax.ts";
import { RFC1738_APPENDIX_URLS, RFC1738_BIBLIOGRAPHY_URLS } from "./rfc1738-urls.ts";

const fixtures = new URL("../fixtures/", import.meta.url);
const utf8 = new TextEncoder();

/** Returns the URLs found in a text, in short form. Checks that the UTF-8 bytes of the text contain the same URLs. */
function findUrls(text: string, options: { bareUrls?: boolean; maxLength?: number } = {}): string[] {
  const found = [...extractUrls(text, { syntaxes: urlParsersForExtractTests, ...options })].map(
    formatUrlMatchForTest,
  );
  expect(
    [...extractUrls(utf8.encode(text), { syntaxes: urlParsersForExtractTests, ...options })].map(
      formatUrlMatchForTest,
    ),
  ).toEqual(found);
  return found;
}

describe("extractUrls finds the URLs in the text of RFC 1738", () => {
  const rows = {
    "rfc1738-appendix.txt": RFC1738_APPENDIX_URLS,
    "rfc1738-references.txt": RFC1738_BIBLIOGRAPHY_URLS,
  };

  for (const [file, expected] of Object.entries(rows)) {
    const text = readFileSync(new URL(file, fixtures), "utf8");
    const quoted = text.replace(/^/gm, "> ");
    for (const [way, given] of Object.entries({ text, quoted, "in CRLF": text.replace(/\n/g, "\r\n") })) {
      it.each(["rfc1738", "modern"] as const)(
        `${file}, ${way}: extractUrls finds every URL in the mode %s`,
        (mode) => {
          for (const source of [given, utf8.encode(given)]) {
            const found = [...extractUrls(source, { syntaxes: urlParsersForExtractTests, mode })];
            expect(
              found.map(({ url, fragment }) => url.href + (fragment === undefined ? "" : `#${fragment}`)),
            ).toEqual(expected);
            expect(
              found.every(({ inUrlWrapper: wrapped, isAlternative: alternative }) => wrapped && !alternative),
            ).toBe(true);
            expect(found.flatMap(({ url }) => url.deviations)).toEqual([]);
          }
        },
      );
    }
  }
});

const wrappedRows: [name: string, text: string, found: string[]][] = [
  ["the prefix url: in lower case", "a <url:http://a.b/c> b", ["<URL:http://a.b/c>"]],
  ["the prefix URL: in mixed case", "<uRl:http://a.b/c>", ["<URL:http://a.b/c>"]],
  ["a blank after the prefix URL:", "<URL: http://a.b/c>", ["<URL:http://a.b/c>"]],
  ["a line break after the prefix URL:", "<URL:\n  http://a.b/c\n>", ["<URL:http://a.b/c>"]],
  [
    "blanks, tabs and line breaks inside a wrapper",
    "<URL:ht\ttp://a .\r\nb/\v\fc\rd>",
    ["<URL:http://a.b/cd>"],
  ],
  ["a no-break space inside a wrapper", "<URL:http://a.b/\u00a0c>", ["<URL:http://a.b/c>"]],
  ["punctuation at the end belongs to the wrapped URL", "<URL:http://a.b/c.>.", ["<URL:http://a.b/c.>"]],
  ["a fragment", "<URL:http://a.b/c#d>", ["<URL:http://a.b/c#d>"]],
  ["two adjacent wrappers", "<URL:ftp://a/><URL:ftp://b/>", ["<URL:ftp://a/>", "<URL:ftp://b/>"]],
  ["a scheme that is not registered", "<URL:afs://a/b>", ["<URL:afs://a/b>"]],
  ["an unregistered scheme name in upper case", "<URL:X-Other:a>", ["<URL:X-Other:a>"]],
  ["non-ASCII letters", "<URL:http://a.b/é\n→>", ["<URL:http://a.b/é→>"]],
  ["a lost byte", "<URL:http://a.b/\ufffd>", []],
  ["two empty wrappers", "<URL:> <URL: \n>", []],
  ["a wrapped text without a scheme", "<URL:/a/b>", []],
  ["an invalid text of which no part is a URL", "<URL:ftp://a/b http://c/\\d>", []],
  ['a "#" that begins no valid fragment', "<URL:http://a.b/#\0>", []],
  ["text with a blank before URL: is no wrapper", "< URL:http://a.b/c>", ["http://a.b/c"]],
  ["the prefix URL: without angle brackets", "URL:http://a.b/c", ["http://a.b/c"]],
  [
    'a wrapper with another "<" inside',
    "<URL:http://a.b/c <URL:ftp://d/>",
    ["http://a.b/c", "<URL:ftp://d/>"],
  ],
  ["a wrapper that is not closed", "<URL:http://a.b/c d", ["http://a.b/c"]],
  ["the prefix <URL: alone at the end of the text", "a <URL:", []],
  ["an incomplete prefix <UR at the end of the text", "a <UR", []],
];

const eightHyphenReadings = [
  "a-b-c-d-e",
  "a-b-cd-e",
  "a-bc-d-e",
  "a-bcd-e",
  "ab-c-d-e",
  "ab-cd-e",
  "abc-d-e",
  "abcd-e",
].map((text, index) => `${index > 0 ? "or " : ""}<URL:x:${text}>`);

// RFC 1738 Appendix: "the hyphen may or may not actually be part of the URL".
const hyphenRows: [name: string, text: string, found: string[]][] = [
  [
    "both readings of a hyphen at a line end",
    "<URL:ftp://in-\nternic.net/>",
    ["<URL:ftp://in-ternic.net/>", "or <URL:ftp://internic.net/>"],
  ],
  [
    "white space around a hyphen at a line end",
    "<URL:ftp://in- \t\r\n  ternic/>",
    ["<URL:ftp://in-ternic/>", "or <URL:ftp://internic/>"],
  ],
  ["only the URL without the hyphen is valid", "<URL:ftp://internic-\n.net/>", ["<URL:ftp://internic.net/>"]],
  ["neither reading of the hyphen is a valid URL", "<URL:ftp://a/b-\n\\zz>", []],
  ["a hyphen before a blank stays in the URL", "<URL:ftp://in- ternic.net/>", ["<URL:ftp://in-ternic.net/>"]],
  ["a hyphen within a line stays in the URL", "<URL:ftp://in-ter\nnic.net/>", ["<URL:ftp://in-ternic.net/>"]],
  [
    "two hyphens at line ends",
    "<URL:ftp://a/b-\nc-\nd>",
    ["<URL:ftp://a/b-c-d>", "or <URL:ftp://a/b-cd>", "or <URL:ftp://a/bc-d>", "or <URL:ftp://a/bcd>"],
  ],
  ["all hyphens after the third stay in the URL", "<URL:x:a-\nb-\nc-\nd-\ne>", eightHyphenReadings],
  ["a bare URL that a hyphen at a line end splits", "ftp://in-\nternic.net/", []],
  ["a hyphen outside of a wrapper has no alternative", "ftp://a/in-\nternic", ["ftp://a/in-"]],
];

const quotationRows: [name: string, text: string, found: string[]][] = [
  ["a quoted line", "> a <URL:ftp://a/b;\n> type=d> c", ["<URL:ftp://a/b;type=d>"]],
  ["a line that is quoted twice", ">> a <URL:ftp://a/b\n>>c> d", ["<URL:ftp://a/bc>"]],
  ["blanks between the > of quoted mail", " > > <URL:ftp://a/b\n > > /c\n > > /d>", ["<URL:ftp://a/b/c/d>"]],
  [
    "a hyphen before the > of quoted mail",
    "> <URL:ftp://a/b-\n> c>",
    ["<URL:ftp://a/b-c>", "or <URL:ftp://a/bc>"],
  ],
  ["the next line has fewer > of quoted mail", ">> <URL:ftp://a/b\n> c\nd>", ["<URL:ftp://a/bcd>"]],
  ["the wrapper ends after the > of quoted mail", "> <URL:ftp://a/b\n> > c", ["ftp://a/b"]],
  ["in a line that is not quoted, the first > ends the wrapper", "<URL:ftp://a/b\n> c>", ["<URL:ftp://a/b>"]],
  ["a > within the line does not mark quoted mail", "a > <URL:ftp://a/b\n> c>", ["<URL:ftp://a/b>"]],
  ["a quoted bare URL", "> ftp://a/b\n> c", ["ftp://a/b"]],
  [
    "a line longer than the scanner reads backwards",
    `> ${"a".repeat(993)}<URL:ftp://a/b\n> c>`,
    ["<URL:ftp://a/b>"],
  ],
  [
    "the longest line that the scanner reads backwards",
    `> ${"a".repeat(992)}<URL:ftp://a/b\n> c>`,
    ["<URL:ftp://a/bc>"],
  ],
];

const bareUrlRows: [name: string, text: string, found: string[]][] = [
  ["a URL that is the whole text", "http://a/", ["http://a/"]],
  ["a scheme name in upper case", "HTTP://A/b", ["HTTP://A/b"]],
  ["a full stop after the URL", "See http://a/b.", ["http://a/b"]],
  ["an ellipsis", "http://a/b... c", ["http://a/b"]],
  ["a comma or a colon after the URL", "ftp://a/b, ftp://c; ftp://d: e", ["ftp://a/b", "ftp://c", "ftp://d"]],
  [
    "a question mark or an exclamation mark after the URL",
    "ftp://a/b? ftp://c! ftp://d?!",
    ["ftp://a/b", "ftp://c", "ftp://d"],
  ],
  ["punctuation inside the URL", "ftp://a/b.c,d;e:f!g?h", ["ftp://a/b.c,d;e:f!g?h"]],
  ["a URL in parentheses", "(http://a/b) (see http://c/d.)", ["http://a/b", "http://c/d"]],
  ["parentheses inside the URL", "http://a/b_(c) (http://a/b_(c))", ["http://a/b_(c)", "http://a/b_(c)"]],
  ["a closing parenthesis after the URL, before further text", "(http://a/b)c", ["http://a/b"]],
  ["crossed brackets", "http://a/(b[c)d]", ["http://a/(b[c"]],
  ["an opening parenthesis at the end of the URL", "http://a/b( c", ["http://a/b"]],
  ["URLs in brackets and braces", "[http://a/b] {http://c/d}", ["http://a/b", "http://c/d"]],
  [
    "a link of Markdown",
    "[a](http://a/b), *http://c/d* `ftp://e/`",
    ["http://a/b", "http://c/d", "ftp://e/"],
  ],
  ["an IPv6 address", "http://[::1]/a", ["http://[::1]/a"]],
  ["a URL in double quotation marks", '"http://a/b." c', ["http://a/b"]],
  ["URLs in single quotation marks", "'http://a/b', 'http://c/d.'", ["http://a/b", "http://c/d"]],
  ["an apostrophe within the URL", "http://a/it's 'b'", ["http://a/it's"]],
  ["paired quotation marks within the URL", "http://a/'b'", ["http://a/'b'"]],
  ["an HTML attribute", "<a href='http://a/b'>", ["http://a/b"]],
  ["a backslash", "http://a/b\\c", ["http://a/b"]],
  ["a control character", "http://a/b\u0000c\u007f", ["http://a/b"]],
  ["a fragment", "http://a/b#c-d.", ["http://a/b#c-d"]],
  ["unsafe characters in the URL", "http://a/~b|c^d`e{f}", ["http://a/~b|c^d`e{f}"]],
  [
    "typographic quotation marks",
    "“http://a/b” ‘http://c/d’ «ftp://e/»",
    ["http://a/b", "http://c/d", "ftp://e/"],
  ],
  ["a full-width comma", "http://a/b，http://c/d。", ["http://a/b", "http://c/d"]],
  ["letters, marks and digits beyond US-ASCII", "http://a/é中e\u0301٣.", ["http://a/é中e\u0301٣"]],
  ["letters beyond the first plane", "http://a/𝒜😀", ["http://a/𝒜"]],
  ["a lost byte", "http://a/b\ufffdc", ["http://a/b"]],
  [
    "a no-break space and a line separator",
    "http://a/b\u00a0c ftp://a/b\u2028c",
    ["http://a/b", "ftp://a/b"],
  ],
  ["angle brackets without the prefix URL:", "<http://a/b>, <http://c/d.>", ["http://a/b", "http://c/d"]],
  ["angle brackets around a line break, which is removed", "<http://a/b.\nc>", ["http://a/b.c"]],
  ["an opening angle bracket without a closing one", "<http://a/b).", ["http://a/b"]],
  ["a scheme that is not registered", "afs://a/b tel:1", []],
  [
    "a scheme name that ends with a registered name",
    "xhttp://a/ x-http://a/ x+http://a/ 1.http://a/ svn+http:b",
    [],
  ],
  ["a shorter scheme name than a registered name", "ttp://a/ p://b/", []],
  ["a name with all kinds of characters", "Z39.50S:a x-note:b", ["Z39.50S:a", "x-note:b"]],
  [
    "a dash, dots or a punctuation mark before the URL",
    "--http://a/ ...http://b/ _http://c/",
    ["http://a/", "http://b/", "http://c/"],
  ],
  ["a letter beyond US-ASCII before the URL", "éhttp://a/", ["http://a/"]],
  ["a scheme name and a colon without a URL", "http: news:, mailto:. http:", []],
  ["a scheme name, a colon and a blank", "news: nothing", []],
  ["an invalid text of which no part is a URL", "http://a_%zz/http://b/ ftp:ftp://c/", []],
  [
    "URLs without a host",
    "news:comp.infosystems.www mailto:a@b.c.",
    ["news:comp.infosystems.www", "mailto:a@b.c"],
  ],
  ["a text with an upper-case scheme that is no URL of this scheme", "HTTP://-a/", []],
  ["a byte order mark", "\ufeffhttp://a/\ufeffb <URL:\ufeffftp://a/>", ["http://a/", "<URL:ftp://a/>"]],
  ['two URLs with a "|" between them', "ftp://a/ | ftp://b/", ["ftp://a/", "ftp://b/"]],
];

describe.each(Object.entries({ wrappedRows, hyphenRows, quotationRows, bareRows: bareUrlRows }))(
  "extractUrls finds the URLs in the texts of the table %s",
  (_, rows) => {
    it.each(rows)("extractUrls finds the expected URLs in: %s", (_name, text, expected) => {
      expect(findUrls(text)).toEqual(expected);
    });
  },
);

describe("extractUrls", () => {
  it("extractUrls finds no URL outside of wrappers when bareUrls is false", () => {
    const text = "http://a/ <URL:ftp://b/> <http://c/> <url: ftp://d/> <URL:http://e/ <URL:ftp://f/>";
    expect(findUrls(text, { bareUrls: false })).toEqual([
      "<URL:ftp://b/>",
      "<URL:ftp://d/>",
      "<URL:ftp://f/>",
    ]);
  });

  it("extractUrls returns the position of a URL without its wrapper", () => {
    const text = "é <URL: ftp://a/\n  b > (http://é/)";
    const places = [...extractUrls(text, { syntaxes: urlParsersForExtractTests })].map(({ index, length }) =>
      text.slice(index, index + length),
    );
    expect(places).toEqual(["ftp://a/\n  b", "http://é/"]);
    const bytes = utf8.encode(text);
    const read = new TextDecoder();
    const inBytes = [...extractUrls(bytes, { syntaxes: urlParsersForExtractTests })].map(
      ({ index, length }) => read.decode(bytes.subarray(index, index + length)),
    );
    expect(inBytes).toEqual(places);
  });

  it("extractUrls returns the fragment separately from the URL", () => {
    const text = "<URL:http://a/b#c> http://a/b# http://a/b";
    const found = [...extractUrls(text, { syntaxes: urlParsersForExtractTests, mode: "rfc1738" })];
    expect(found.map(({ url }) => url.href)).toEqual(["http://a/b", "http://a/b", "http://a/b"]);
    expect(found.map(({ fragment }) => fragment)).toEqual(["c", "", undefined]);
    expect(found.map(({ text }) => text)).toEqual(["http://a/b#c", "http://a/b#", "http://a/b"]);
  });

  it("extractUrls returns only the URL with the hyphen when the text without the hyphen is no URL", () => {
    const generic = createGenericSyntax();
    const tryParse: ExtractUrlsParser["tryParse"] = (text) =>
      generic.tryParse(text.includes("b-c") ? text : "");
    const found = [...extractUrls("<URL:x-a:b-\nc>", { syntaxes: [{ schemes: ["x-a"], tryParse }] })];
    expect(found.map(formatUrlMatchForTest)).toEqual(["<URL:x-a:b-c>"]);
  });

  it("extractUrls omits a URL that the mode rfc1738 rejects, and never shortens the URL", () => {
    expect([
      ...extractUrls("http://a/~b http://a/é <URL:http://a/~b>", {
        syntaxes: urlParsersForExtractTests,
        mode: "rfc1738",
      }),
    ]).toEqual([]);
  });

  it("extractUrls reports rejected texts to onInvalid in their order", () => {
    const refused: InvalidUrlMatch[] = [];
    const text = "http://a..b/zz <URL:ftp://b c/\\> ftp://d/";
    const found = [
      ...extractUrls(text, {
        syntaxes: urlParsersForExtractTests,
        onInvalid: (place) => refused.push(place),
      }),
    ];
    expect(found.map(formatUrlMatchForTest)).toEqual(["ftp://d/"]);
    expect(
      refused.map(({ text, inUrlWrapper: wrapped, index, length, fault }) => [
        text,
        wrapped,
        index,
        length,
        fault.code,
      ]),
    ).toEqual([
      ["http://a..b/zz", false, 0, 14, "empty-host"],
      ["ftp://bc/\\", true, 20, 11, "backslash"],
    ]);
  });

  it("extractUrls accepts a client as one of the syntaxes", () => {
    const generic = createGenericSyntax();
    const client = { schemes: ["x-a"], tryParse: (text: string) => generic.tryParse(text) };
    expect([...extractUrls("x-a:b x-c:d", { syntaxes: [client] })].map(formatUrlMatchForTest)).toEqual([
      "x-a:b",
    ]);
  });

  it("extractUrls returns URLs with the types of the syntaxes", () => {
    const found = extractUrls("", { syntaxes: [sampleSyntax] });
    expectTypeOf(found).toEqualTypeOf<IterableIterator<UrlMatch<XSampleUrl | GenericUrl>>>();
    const mixed = extractUrls("", { syntaxes: urlParsersForExtractTests });
    expectTypeOf(mixed).toEqualTypeOf<IterableIterator<UrlMatch<Url | GenericUrl>>>();
  });

  it.each([0, -1, Number.NaN])("extractUrls throws for the value %s of maxLength", (maxLength) => {
    expect(() => extractUrls("", { syntaxes: urlParsersForExtractTests, maxLength })).toThrow(RangeError);
  });
});

describe("the option maxLength of extractUrls", () => {
  const rows: [name: string, text: string, found: string[]][] = [
    ["a bare URL of the maximum length", "a ftp://a/345 b", ["ftp://a/345"]],
    ["a bare URL one character longer than the maximum", "a ftp://a/3456 ftp://b/", ["ftp://b/"]],
    ["punctuation after the URL counts", "a ftp://a/345. ftp://b/", ["ftp://b/"]],
    [
      "no part of a URL that is too long is a URL",
      `${"ftp://a/".repeat(10)}b <URL:ftp://c/>`,
      ["<URL:ftp://c/>"],
    ],
    [
      "the end of a URL that is too long is no URL",
      `${"ftp://a/".repeat(11)}b <URL:ftp://c/>`,
      ["<URL:ftp://c/>"],
    ],
    ["a URL with non-ASCII letters that is longer than the maximum", `ftp://a/${"中".repeat(99)}`, []],
    ["a long non-ASCII sentence after the URL", `ftp://a/3，${"中".repeat(99)}`, ["ftp://a/3"]],
    ["a wrapper of the maximum length", "<URL:ftp://a/345>", ["<URL:ftp://a/345>"]],
    ["white space inside a wrapper counts", "<URL:ftp://a/ 34>", ["<URL:ftp://a/34>"]],
    ["a wrapper one character longer than the maximum", "<URL:ftp://a/ 345>", ["ftp://a/"]],
    [
      "a wrapper without a closing bracket",
      `<URL:ftp://a/ ${"b ".repeat(99)}ftp://c/`,
      ["ftp://a/", "ftp://c/"],
    ],
  ];
  it.each(rows)("extractUrls finds the URLs up to maxLength: %s", (_, text, expected) => {
    expect(findUrls(text, { maxLength: 11 })).toEqual(expected);
  });

  const refusals: [name: string, text: string, refused: [text: string, index: number, length: number][]][] = [
    ["no URL of the maximum length", "ftp://a/345 <URL:ftp://a/345>", []],
    ["only the beginning of a bare URL", "a ftp://a/3456 b", [["ftp://a/345", 2, 11]]],
    ["a URL of any length is reported once", `${"ftp://a/".repeat(99)} ftp://b/`, [["ftp://a/ftp", 0, 11]]],
    [
      "each of several URLs",
      "ftp://a/3456 ftp://b/3456",
      [
        ["ftp://a/345", 0, 11],
        ["ftp://b/345", 13, 11],
      ],
    ],
    ["the text of a wrapper without its white space", "<URL: ftp://a/ 3456>", [["ftp://a/3", 6, 10]]],
    [
      "a wrapper is reported, and its contents are not reported again",
      "<URL:ftp://a/3456>",
      [["ftp://a/345", 5, 11]],
    ],
    ["a wrapper without a closing bracket", `<URL:${"b ".repeat(99)}`, [["bbbbbb", 5, 11]]],
  ];
  it.each(refusals)("onInvalid receives a text that is too long: %s", (_, text, expected) => {
    for (const source of [text, utf8.encode(text)]) {
      const refused: InvalidUrlMatch[] = [];
      const found = extractUrls(source, {
        syntaxes: urlParsersForExtractTests,
        maxLength: 11,
        onInvalid: (place) => refused.push(place),
      });
      for (const { length } of found) expect(length).toBeLessThanOrEqual(11);
      expect(refused.map((place) => [place.text, place.index, place.length])).toEqual(expected);
      for (const place of refused)
        expect(place.fault).toMatchObject({ code: "too-long", index: place.text.length, length: 0 });
    }
  });
});
