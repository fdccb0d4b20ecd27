import { readFileSync } from "node:fs";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type UrlMatch, extractUrls, type InvalidMatch, type UrlParser } from "../../src/extract/extract.ts";
import { type GenericUrl, genericSyntax, type Url } from "../../src/syntax/index.ts";
import { formatMatch, syntaxes } from "./sample-parsers.ts";
import { type SampleUrl, sampleSyntax } from "../syntax/sample-syntax.ts";

const fixtures = new URL("../fixtures", import.meta.url);
const utf8 = new TextEncoder();

/** Returns the URLs found in a text, in short form. The URLs of its bytes must be the same. */
function find(text: string, options: { bareUrls?: boolean; maxLength?: number } = {}): string[] {
  const found = [...extractUrls(text, { syntaxes, ...options })].map(formatMatch);
  expect([...extractUrls(utf8.encode(text), { syntaxes, ...options })].map(formatMatch)).toEqual(found);
  return found;
}

describe("extractUrls finds the URLs in the text of RFC 1738", () => {
  // The Appendix, "Examples".
  const appendix = [
    ["ftp://info.cern.ch/pub/www/doc;type=d", undefined],
    ["ftp://ds.internic.net/rfc", undefined],
    ["http://ds.internic.net/instructions/overview.html", "WARNING"],
  ];
  // The URLs of the References 1 to 18. References 9, 19 and 20 have no URL.
  const references = [
    "ftp://ds.internic.net/rfc/rfc1436.txt;type=a",
    "ftp://boombox.micro.umn.edu/pub/gopher/gopher_protocol/Gopher+/Gopher+.txt",
    "ftp://ds.internic.net/rfc/rfc1630.txt",
    "ftp://info.cern.ch/pub/www/doc/http-spec.txt.Z",
    "ftp://ds.internic.net/rfc/rfc1123.txt",
    "ftp://ds.internic.net/rfc/rfc822.txt",
    "ftp://quake.think.com/pub/wais/doc/protspec.txt",
    "ftp://ds.internic.net/rfc/rfc1036.txt",
    "ftp://quake.think.com/pub/wais/doc/doc-ids.txt",
    "ftp://ds.internic.net/rfc/rfc977.txt",
    "ftp://ds.internic.net/internet-drafts/draft-ietf-uri-irl-fun-req-02.txt",
    "ftp://ds.internic.net/rfc/rfc1034.txt",
    "ftp://prospero.isi.edu/pub/prospero/doc/prospero-protocol.PS.Z",
    "ftp://ds.internic.net/rfc/rfc959.txt",
    "ftp://ds.internic.net/rfc/rfc1737.txt",
    "ftp://ds.internic.net/rfc/rfc1625.txt",
    "ftp://uu.psi.com/wp/nir.txt",
  ].map((text) => [text, undefined]);
  const rows = { "rfc1738-appendix.txt": appendix, "rfc1738-references.txt": references };

  for (const [file, expected] of Object.entries(rows)) {
    const text = readFileSync(new URL(file, fixtures), "utf8");
    const quoted = text.replace(/^/gm, "> ");
    for (const [way, given] of Object.entries({ text, quoted, "in CRLF": text.replace(/\n/g, "\r\n") })) {
      it.each(["rfc1738", "modern"] as const)(`${file}, ${way}: every URL, %s`, (mode) => {
        for (const source of [given, utf8.encode(given)]) {
          const found = [...extractUrls(source, { syntaxes, mode })];
          expect(found.map(({ url, fragment }) => [url.href, fragment])).toEqual(expected);
          expect(
            found.every(({ inUrlWrapper: wrapped, isAlternative: alternative }) => wrapped && !alternative),
          ).toBe(true);
          expect(found.flatMap(({ url }) => url.deviations)).toEqual([]);
        }
      });
    }
  }
});

const wrappedRows: [name: string, text: string, found: string[]][] = [
  ["the prefix in lower case", "a <url:http://a.b/c> b", ["<URL:http://a.b/c>"]],
  ["the prefix in mixed case", "<uRl:http://a.b/c>", ["<URL:http://a.b/c>"]],
  ["a blank after the prefix", "<URL: http://a.b/c>", ["<URL:http://a.b/c>"]],
  ["a line break after the prefix", "<URL:\n  http://a.b/c\n>", ["<URL:http://a.b/c>"]],
  ["blanks, tabs and line breaks inside", "<URL:ht\ttp://a .\r\nb/\v\fc\rd>", ["<URL:http://a.b/cd>"]],
  ["a no-break space inside", "<URL:http://a.b/\u00a0c>", ["<URL:http://a.b/c>"]],
  ["punctuation at the end belongs to it", "<URL:http://a.b/c.>.", ["<URL:http://a.b/c.>"]],
  ["a fragment", "<URL:http://a.b/c#d>", ["<URL:http://a.b/c#d>"]],
  ["one after another", "<URL:ftp://a/><URL:ftp://b/>", ["<URL:ftp://a/>", "<URL:ftp://b/>"]],
  ["a scheme that is not registered", "<URL:afs://a/b>", ["<URL:afs://a/b>"]],
  ["a name of the generic form in any case", "<URL:X-Other:a>", ["<URL:X-Other:a>"]],
  ["non-ASCII letters", "<URL:http://a.b/é\n→>", ["<URL:http://a.b/é→>"]],
  ["a lost byte", "<URL:http://a.b/\ufffd>", []],
  ["empty", "<URL:> <URL: \n>", []],
  ["no scheme", "<URL:/a/b>", []],
  ["no URL, and no part of it is one", "<URL:ftp://a/b http://c/\\d>", []],
  ["a fragment that is none", "<URL:http://a.b/#\0>", []],
  ["a blank before the prefix is no wrapper", "< URL:http://a.b/c>", ["http://a.b/c"]],
  ["no prefix at all", "URL:http://a.b/c", ["http://a.b/c"]],
  ["another < inside is no wrapper", "<URL:http://a.b/c <URL:ftp://d/>", ["http://a.b/c", "<URL:ftp://d/>"]],
  ["not closed", "<URL:http://a.b/c d", ["http://a.b/c"]],
  ["the prefix alone, at the end", "a <URL:", []],
  ["half a prefix at the end", "a <UR", []],
];

const eightReadings = [
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
    "both readings",
    "<URL:ftp://in-\nternic.net/>",
    ["<URL:ftp://in-ternic.net/>", "or <URL:ftp://internic.net/>"],
  ],
  [
    "white space around",
    "<URL:ftp://in- \t\r\n  ternic/>",
    ["<URL:ftp://in-ternic/>", "or <URL:ftp://internic/>"],
  ],
  ["only the one without it is valid", "<URL:ftp://internic-\n.net/>", ["<URL:ftp://internic.net/>"]],
  ["neither is valid", "<URL:ftp://a/b-\n\\zz>", []],
  ["a hyphen before a blank stays", "<URL:ftp://in- ternic.net/>", ["<URL:ftp://in-ternic.net/>"]],
  ["a hyphen within a line stays", "<URL:ftp://in-ter\nnic.net/>", ["<URL:ftp://in-ternic.net/>"]],
  [
    "two of them",
    "<URL:ftp://a/b-\nc-\nd>",
    ["<URL:ftp://a/b-c-d>", "or <URL:ftp://a/b-cd>", "or <URL:ftp://a/bc-d>", "or <URL:ftp://a/bcd>"],
  ],
  ["more than three: the others stay", "<URL:x:a-\nb-\nc-\nd-\ne>", eightReadings],
  ["none outside of wrappers", "ftp://in-\nternic.net/", []],
  ["none outside of wrappers, where it is valid", "ftp://a/in-\nternic", ["ftp://a/in-"]],
];

const quotationRows: [name: string, text: string, found: string[]][] = [
  ["a quoted line", "> a <URL:ftp://a/b;\n> type=d> c", ["<URL:ftp://a/b;type=d>"]],
  ["quoted twice", ">> a <URL:ftp://a/b\n>>c> d", ["<URL:ftp://a/bc>"]],
  ["with blanks between the marks", " > > <URL:ftp://a/b\n > > /c\n > > /d>", ["<URL:ftp://a/b/c/d>"]],
  ["a hyphen before the mark", "> <URL:ftp://a/b-\n> c>", ["<URL:ftp://a/b-c>", "or <URL:ftp://a/bc>"]],
  ["the next line has fewer marks", ">> <URL:ftp://a/b\n> c\nd>", ["<URL:ftp://a/bcd>"]],
  ["the wrapper ends after the mark", "> <URL:ftp://a/b\n> > c", ["ftp://a/b"]],
  ["not quoted: the first > ends it", "<URL:ftp://a/b\n> c>", ["<URL:ftp://a/b>"]],
  ["a > within the line is no mark", "a > <URL:ftp://a/b\n> c>", ["<URL:ftp://a/b>"]],
  ["a quoted bare URL", "> ftp://a/b\n> c", ["ftp://a/b"]],
  [
    "a line that is too long to look back on",
    `> ${"a".repeat(993)}<URL:ftp://a/b\n> c>`,
    ["<URL:ftp://a/b>"],
  ],
  ["the longest line", `> ${"a".repeat(992)}<URL:ftp://a/b\n> c>`, ["<URL:ftp://a/bc>"]],
];

const bareRows: [name: string, text: string, found: string[]][] = [
  ["at the start and the end", "http://a/", ["http://a/"]],
  ["in any case", "HTTP://A/b", ["HTTP://A/b"]],
  ["a full stop after it", "See http://a/b.", ["http://a/b"]],
  ["an ellipsis", "http://a/b... c", ["http://a/b"]],
  ["a comma, a semicolon, a colon", "ftp://a/b, ftp://c; ftp://d: e", ["ftp://a/b", "ftp://c", "ftp://d"]],
  [
    "a question and an exclamation mark",
    "ftp://a/b? ftp://c! ftp://d?!",
    ["ftp://a/b", "ftp://c", "ftp://d"],
  ],
  ["punctuation inside", "ftp://a/b.c,d;e:f!g?h", ["ftp://a/b.c,d;e:f!g?h"]],
  ["in parentheses", "(http://a/b) (see http://c/d.)", ["http://a/b", "http://c/d"]],
  ["parentheses of its own", "http://a/b_(c) (http://a/b_(c))", ["http://a/b_(c)", "http://a/b_(c)"]],
  ["a parenthesis closed in the middle", "(http://a/b)c", ["http://a/b"]],
  ["crossed brackets", "http://a/(b[c)d]", ["http://a/(b[c"]],
  ["an opening parenthesis at its end", "http://a/b( c", ["http://a/b"]],
  ["in brackets and braces", "[http://a/b] {http://c/d}", ["http://a/b", "http://c/d"]],
  [
    "a link of Markdown",
    "[a](http://a/b), *http://c/d* `ftp://e/`",
    ["http://a/b", "http://c/d", "ftp://e/"],
  ],
  ["an IPv6 address", "http://[::1]/a", ["http://[::1]/a"]],
  ["in double quotes", '"http://a/b." c', ["http://a/b"]],
  ["in single quotes", "'http://a/b', 'http://c/d.'", ["http://a/b", "http://c/d"]],
  ["an apostrophe of its own", "http://a/it's 'b'", ["http://a/it's"]],
  ["paired quotation marks of its own", "http://a/'b'", ["http://a/'b'"]],
  ["an attribute", "<a href='http://a/b'>", ["http://a/b"]],
  ["a backslash", "http://a/b\\c", ["http://a/b"]],
  ["a control character", "http://a/b\u0000c\u007f", ["http://a/b"]],
  ["a fragment", "http://a/b#c-d.", ["http://a/b#c-d"]],
  ["extracts a URL with unsafe characters", "http://a/~b|c^d`e{f}", ["http://a/~b|c^d`e{f}"]],
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
  ["angle brackets without the prefix", "<http://a/b>, <http://c/d.>", ["http://a/b", "http://c/d"]],
  ["angle brackets with a break: joined", "<http://a/b.\nc>", ["http://a/b.c"]],
  ["an angle bracket that is not closed", "<http://a/b).", ["http://a/b"]],
  ["a scheme that is not registered", "afs://a/b tel:1", []],
  ["a longer name", "xhttp://a/ x-http://a/ x+http://a/ 1.http://a/ svn+http:b", []],
  ["a shorter name", "ttp://a/ p://b/", []],
  ["a name with all kinds of characters", "Z39.50S:a x-note:b", ["Z39.50S:a", "x-note:b"]],
  [
    "a dash, dots or a mark before it",
    "--http://a/ ...http://b/ _http://c/",
    ["http://a/", "http://b/", "http://c/"],
  ],
  ["a letter beyond US-ASCII before it", "éhttp://a/", ["http://a/"]],
  ["a scheme and nothing", "http: news:, mailto:. http:", []],
  ["a word before a blank", "news: nothing", []],
  ["no URL, and no part of it is one", "http://a_%zz/http://b/ ftp:ftp://c/", []],
  [
    "without a host",
    "news:comp.infosystems.www mailto:a@b.c.",
    ["news:comp.infosystems.www", "mailto:a@b.c"],
  ],
  ["no URL of its scheme, in upper case", "HTTP://-a/", []],
  ["a byte order mark", "\ufeffhttp://a/\ufeffb <URL:\ufeffftp://a/>", ["http://a/", "<URL:ftp://a/>"]],
  ["two, joined by a bar", "ftp://a/ | ftp://b/", ["ftp://a/", "ftp://b/"]],
];

describe.each(Object.entries({ wrappedRows, hyphenRows, quotationRows, bareRows }))(
  "extractUrls with the table %s",
  (_, rows) => {
    it.each(rows)("finds the URLs: %s", (_name, text, expected) => {
      expect(find(text)).toEqual(expected);
    });
  },
);

describe("extractUrls", () => {
  it("finds no URL outside of wrappers when bareUrls is false", () => {
    const text = "http://a/ <URL:ftp://b/> <http://c/> <url: ftp://d/> <URL:http://e/ <URL:ftp://f/>";
    expect(find(text, { bareUrls: false })).toEqual(["<URL:ftp://b/>", "<URL:ftp://d/>", "<URL:ftp://f/>"]);
  });

  it("returns the position of a URL without its wrapper", () => {
    const text = "é <URL: ftp://a/\n  b > (http://é/)";
    const places = [...extractUrls(text, { syntaxes })].map(({ index, length }) =>
      text.slice(index, index + length),
    );
    expect(places).toEqual(["ftp://a/\n  b", "http://é/"]);
    const bytes = utf8.encode(text);
    const read = new TextDecoder();
    const inBytes = [...extractUrls(bytes, { syntaxes })].map(({ index, length }) =>
      read.decode(bytes.subarray(index, index + length)),
    );
    expect(inBytes).toEqual(places);
  });

  it("returns the fragment separately from the URL", () => {
    const text = "<URL:http://a/b#c> http://a/b# http://a/b";
    const found = [...extractUrls(text, { syntaxes, mode: "rfc1738" })];
    expect(found.map(({ url }) => url.href)).toEqual(["http://a/b", "http://a/b", "http://a/b"]);
    expect(found.map(({ fragment }) => fragment)).toEqual(["c", "", undefined]);
    expect(found.map(({ text }) => text)).toEqual(["http://a/b#c", "http://a/b#", "http://a/b"]);
  });

  it("returns only the URL with the hyphen when the text without the hyphen is no URL", () => {
    const generic = genericSyntax();
    const tryParse: UrlParser["tryParse"] = (text) => generic.tryParse(text.includes("b-c") ? text : "");
    const found = [...extractUrls("<URL:x-a:b-\nc>", { syntaxes: [{ schemes: ["x-a"], tryParse }] })];
    expect(found.map(formatMatch)).toEqual(["<URL:x-a:b-c>"]);
  });

  it("omits a URL that the mode rfc1738 rejects, and never shortens the URL", () => {
    expect([
      ...extractUrls("http://a/~b http://a/é <URL:http://a/~b>", { syntaxes, mode: "rfc1738" }),
    ]).toEqual([]);
  });

  it("reports rejected texts to onInvalid in their order", () => {
    const refused: InvalidMatch[] = [];
    const text = "http://a..b/zz <URL:ftp://b c/\\> ftp://d/";
    const found = [...extractUrls(text, { syntaxes, onInvalid: (place) => refused.push(place) })];
    expect(found.map(formatMatch)).toEqual(["ftp://d/"]);
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

  it("accepts a client in place of syntaxes", () => {
    const generic = genericSyntax();
    const client = { schemes: ["x-a"], tryParse: (text: string) => generic.tryParse(text) };
    expect([...extractUrls("x-a:b x-c:d", { syntaxes: [client] })].map(formatMatch)).toEqual(["x-a:b"]);
  });

  it("returns URLs with the types of the syntaxes", () => {
    const found = extractUrls("", { syntaxes: [sampleSyntax] });
    expectTypeOf(found).toEqualTypeOf<IterableIterator<UrlMatch<SampleUrl | GenericUrl>>>();
    const mixed = extractUrls("", { syntaxes });
    expectTypeOf(mixed).toEqualTypeOf<IterableIterator<UrlMatch<Url | GenericUrl>>>();
  });

  it.each([0, -1, Number.NaN])("throws for the value %s of maxLength", (maxLength) => {
    expect(() => extractUrls("", { syntaxes, maxLength })).toThrow(RangeError);
  });
});

describe("the option maxLength of extractUrls", () => {
  const rows: [name: string, text: string, found: string[]][] = [
    ["a bare URL of the length", "a ftp://a/345 b", ["ftp://a/345"]],
    ["one more", "a ftp://a/3456 ftp://b/", ["ftp://b/"]],
    ["punctuation counts", "a ftp://a/345. ftp://b/", ["ftp://b/"]],
    ["no part of what is too long is a URL", `${"ftp://a/".repeat(10)}b <URL:ftp://c/>`, ["<URL:ftp://c/>"]],
    ["nor the end of it", `${"ftp://a/".repeat(11)}b <URL:ftp://c/>`, ["<URL:ftp://c/>"]],
    ["words beyond US-ASCII that are cut", `ftp://a/${"中".repeat(99)}`, []],
    ["a sentence beyond US-ASCII after it", `ftp://a/3，${"中".repeat(99)}`, ["ftp://a/3"]],
    ["a wrapper of the length", "<URL:ftp://a/345>", ["<URL:ftp://a/345>"]],
    ["white space counts", "<URL:ftp://a/ 34>", ["<URL:ftp://a/34>"]],
    ["a wrapper with one more is none", "<URL:ftp://a/ 345>", ["ftp://a/"]],
    ["a wrapper without an end", `<URL:ftp://a/ ${"b ".repeat(99)}ftp://c/`, ["ftp://a/", "ftp://c/"]],
  ];
  it.each(rows)("finds the URLs up to the maximum length: %s", (_, text, expected) => {
    expect(find(text, { maxLength: 11 })).toEqual(expected);
  });

  const refusals: [name: string, text: string, refused: [text: string, index: number, length: number][]][] = [
    ["nothing of the length", "ftp://a/345 <URL:ftp://a/345>", []],
    ["the beginning of a bare URL", "a ftp://a/3456 b", [["ftp://a/345", 2, 11]]],
    ["one URL once, however long", `${"ftp://a/".repeat(99)} ftp://b/`, [["ftp://a/ftp", 0, 11]]],
    [
      "each of them",
      "ftp://a/3456 ftp://b/3456",
      [
        ["ftp://a/345", 0, 11],
        ["ftp://b/345", 13, 11],
      ],
    ],
    ["a wrapper, without its white space", "<URL: ftp://a/ 3456>", [["ftp://a/3", 6, 10]]],
    ["a wrapper, not what is in it again", "<URL:ftp://a/3456>", [["ftp://a/345", 5, 11]]],
    ["a wrapper without an end", `<URL:${"b ".repeat(99)}`, [["bbbbbb", 5, 11]]],
  ];
  it.each(refusals)("reports a text as too long: %s", (_, text, expected) => {
    for (const source of [text, utf8.encode(text)]) {
      const refused: InvalidMatch[] = [];
      const found = extractUrls(source, {
        syntaxes,
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
