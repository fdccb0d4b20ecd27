import { describe, expect, it } from "vitest";
import { extractUrls, type InvalidUrlMatch } from "../../src/extract/extract.ts";
import { createGenericSyntax } from "../../src/syntax/index.ts";
import { formatUrlMatchForTest, urlParsersForExtractTests } from "./url-parsers-for-extract-tests.ts";

const utf8 = new TextEncoder();

/** Returns the URLs of a stream with chunks of `size` units. */
async function extractFromChunks(source: string | Uint8Array, size: number): Promise<string[]> {
  async function* chunks(): AsyncGenerator<string | Uint8Array> {
    for (let at = 0; at < source.length; at += size) yield source.slice(at, at + size);
  }
  const found: string[] = [];
  for await (const each of extractUrls(chunks(), { syntaxes: urlParsersForExtractTests }))
    found.push(formatUrlMatchForTest(each));
  return found;
}

const ROWS: readonly (readonly [name: string, text: string, found: readonly string[]])[] = [
  [
    "a line end behind a dot of the host name, in angle brackets",
    "<ftp://foo.example.\ncom/rfc/>",
    ["ftp://foo.example.com/rfc/"],
  ],
  [
    "an indented line after CRLF, in angle brackets",
    "<ftp://foo.example.\r\n   com/rfc/>",
    ["ftp://foo.example.com/rfc/"],
  ],
  [
    "a line end in quoted mail, in angle brackets",
    "> a <ftp://foo.example.\n> com/rfc/> b",
    ["ftp://foo.example.com/rfc/"],
  ],
  ["a line end in the path, in angle brackets", "<ftp://foo.example/rfc\n/a>", ["ftp://foo.example/rfc/a"]],
  ["a line end before the closing angle bracket", "<ftp://foo.example\n>", ["ftp://foo.example"]],
  [
    "both readings of a hyphen at a line end, in angle brackets",
    "<http://foo-\nbar.example/>",
    ["http://foo-bar.example/", "or http://foobar.example/"],
  ],
  ["a line end in the host name and blanks, in angle brackets", "<ftp://foo.example.\ncom/rfc/ a site>", []],
  ["an angle bracket that is not closed", "<ftp://foo.example\nand b", ["ftp://foo.example"]],
  [
    "a path before a line end and blanks, in angle brackets",
    "<ftp://foo.example/a\nis a site>",
    ["ftp://foo.example/a"],
  ],
  ["a bare host name with a hyphen at a line end", "http://foo-\nbar.example/", []],
  [
    "a soft line break of quoted-printable in a host name",
    "http://foo.exam=\nple/ http://foo=2Eexample/",
    [],
  ],
  ["a tab before a dot of the host name", "http://foo\t.example/ b", []],
  ["a no-break space before a dot of the host name", "http://foo\u00a0.example/ b", []],
  ["a blank before a dot of the host name", "http://foo .example/ b", []],
  ["a login with a blank", "ftp://joe smith:pw@foo.example/ b", []],
  ["a login without a password, cut at a blank", "ftp://joe smith@foo.example/ b", []],
  ["a URL whose password contains a blank", "ftp://joe:12 3@foo.example/ b", []],
  ['a blank between a login and its "@"', "ftp://joe @foo.example/ b", []],
  ["a symbol within a host name", "http://i\u2764.example/ b", []],
  ["a symbol with a variation selector within a host name", "http://i\u2764\ufe0f.example/ b", []],
  ["a zero-width joiner within a host name", "http://نامه\u200cای.example/ b", []],
  ["a soft hyphen within a host name", "http://foo\u00adbar.example/ b", []],
  ["a zero-width space within a host name", "http://foo.\u200bexample/ b", []],
  ["a middle dot within a host name", "http://paral\u00b7lel.example/ b", []],
  ["an ideographic full stop within a host name", "http://例え\u3002テスト/ b", []],
  ["a full-width full stop within a host name", "http://foo\uff0eexample/ b", []],
  ["bytes that are not UTF-8 within a host name", "http://b\ufffdcher.example/ b", []],
  ["a backslash before a dot of the host name", "http://foo\\.example/ b", []],

  ["a sentence that continues after the URL", "http://foo.example and b", ["http://foo.example"]],
  ["a sentence that ends with the URL", "See http://foo.example. See", ["http://foo.example"]],
  ["a dash after the host name", "http://foo.example—see b", ["http://foo.example"]],
  [
    "quotation marks around a URL, and no space after them",
    "“http://foo.example”and «http://b.example»c",
    ["http://foo.example", "http://b.example"],
  ],
  [
    "an ideographic full stop after a US-ASCII host name",
    "http://foo.example。谢谢 b",
    ["http://foo.example"],
  ],
  ["a symbol after the URL and a blank", "http://foo.example \u2764 b", ["http://foo.example"]],
  ["a symbol at the end of the host name", "http://foo.example\u2764 b", ["http://foo.example"]],
  ["a symbol after the path of the URL", "http://foo.example/\u2764b", ["http://foo.example/"]],
  ["a mail address after the URL", "http://foo.example joe@b.example", ["http://foo.example"]],
  [
    "a mailto URL after the URL",
    "http://foo.example mailto:joe@b.example b",
    ["http://foo.example", "mailto:joe@b.example"],
  ],
  ["an ellipsis after the URL and a blank", "http://foo.example ... b", ["http://foo.example"]],
  ["a time after the URL and a blank", "http://foo.example 12:30 b", ["http://foo.example"]],
];

describe("extractUrls returns no part of a split host name", () => {
  it.each(ROWS)("extractUrls returns only URLs with complete host names: %s", async (_, text, found) => {
    expect(
      [...extractUrls(text, { syntaxes: urlParsersForExtractTests })].map(formatUrlMatchForTest),
    ).toEqual(found);
    const bytes = utf8.encode(text);
    expect(
      [...extractUrls(bytes, { syntaxes: urlParsersForExtractTests })].map(formatUrlMatchForTest),
    ).toEqual(found);
    for (let size = 1; size < 24; size++) {
      expect(await extractFromChunks(text, size), `${size} units`).toEqual(found);
      expect(await extractFromChunks(bytes, size), `${size} bytes`).toEqual(found);
    }
  });

  it("extractUrls keeps the final dot of a host name in angle brackets", () => {
    const generic = [createGenericSyntax({ schemes: ["http"] })];
    const found = [...extractUrls("<http://foo.example.> http://b.example.", { syntaxes: generic })];
    expect(found.map(formatUrlMatchForTest)).toEqual(["http://foo.example.", "http://b.example"]);
  });

  it("extractUrls returns no URL with the first half of a host name that contains Latin-1 bytes", () => {
    const bytes = Buffer.from("see http://bücher.example/ and http://foo.example/ü", "latin1");
    expect(
      [...extractUrls(bytes, { syntaxes: urlParsersForExtractTests })].map(formatUrlMatchForTest),
    ).toEqual(["http://foo.example/"]);
  });

  it("onInvalid receives a URL with a split host name, with advice", () => {
    const refused: InvalidUrlMatch[] = [];
    const onInvalid = (each: InvalidUrlMatch): unknown => refused.push(each);
    expect([
      ...extractUrls("a http://foo .example/ b", { syntaxes: urlParsersForExtractTests, onInvalid }),
    ]).toEqual([]);
    expect(refused).toMatchObject([
      {
        text: "http://foo",
        index: 2,
        length: 10,
        fault: { code: "bad-host", suggestion: "write the URL as <URL:…>, without blanks in its host" },
      },
    ]);
  });
});
