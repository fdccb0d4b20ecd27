import { describe, expect, it } from "vitest";
import { createUrlToSourceByteMapper } from "../../src/search/url-to-source-byte-mapper.ts";

describe("createUrlToSourceByteMapper", () => {
  const rows: [name: string, bytes: string, text: string, index: number, length: number, found: string][] = [
    ["a text that equals its source", "http://a/~b", "http://a/~b", 9, 1, "~"],
    ["a line break before the character in the source", "http://a/\n  ~b", "http://a/~b", 9, 1, "~"],
    ["a line break inside", "http://a/~\n  ~b", "http://a/~~b", 9, 2, "~\n  ~"],
    [
      'the ">" of quoted mail at the beginning of source lines',
      "http://a/\n> > ~b",
      "http://a/~b",
      9,
      1,
      "~",
    ],
    ["a line-end hyphen that the URL omits", "http://a-\n b/~b", "http://ab/~b", 10, 1, "~"],
    ["a line-end hyphen that the URL contains", "http://a-\n b/~b", "http://a-b/~b", 11, 1, "~"],
    ["one of two hyphens", "http://a--\n b/~b", "http://a-b/~b", 11, 1, "~"],
    ["a character beyond US-ASCII", "http://a/é", "http://a/é", 9, 1, "é"],
    ["a character after one beyond US-ASCII", "http://a/é~b", "http://a/é~b", 10, 1, "~"],
    ["a character of four bytes", "http://a/😀~", "http://a/😀~", 9, 2, "😀"],
    ["white space beyond US-ASCII", "http://a/\u00a0¢~", "http://a/¢~", 9, 1, "¢"],
    ["a byte order mark, which is white space", "http://a/\ufeff~", "http://a/~", 9, 1, "~"],
  ];
  it.each(rows)(
    "createUrlToSourceByteMapper maps offsets to source bytes of a URL with %s",
    (_, bytes, text, index, length, found) => {
      const written = Buffer.from(bytes);
      const { start, endExclusive } = createUrlToSourceByteMapper(written, text)(index, length);
      expect(written.subarray(start, endExclusive).toString()).toBe(found);
    },
  );

  it("createUrlToSourceByteMapper maps a missing character to the end of the preceding character", () => {
    expect(createUrlToSourceByteMapper(Buffer.from("wais://h\n"), "wais://h")(8, 0)).toEqual({
      start: 8,
      endExclusive: 8,
    });
    expect(createUrlToSourceByteMapper(Buffer.from("http://\n/x"), "http:///x")(7, 0)).toEqual({
      start: 7,
      endExclusive: 7,
    });
    expect(createUrlToSourceByteMapper(Buffer.from("http:///x"), "http:///x")(7, 0)).toEqual({
      start: 7,
      endExclusive: 7,
    });
    expect(createUrlToSourceByteMapper(Buffer.from("é\nb"), "éb")(0, 0)).toEqual({
      start: 0,
      endExclusive: 0,
    });
  });

  it.each<[name: string, bytes: number[]]>([
    ["a byte that is not UTF-8", [0xe9]],
    ["the first half of a UTF-8 character", [0xe2, 0x82]],
    ["two bytes that are not UTF-8", [0xe9, 0xe9]],
    ["a replacement character", [0xef, 0xbf, 0xbd]],
  ])("createUrlToSourceByteMapper maps offsets after %s", (_, bytes) => {
    const written = Buffer.concat([Buffer.from("x:\n"), Buffer.from(bytes), Buffer.from("~b")]);
    const text = written.toString().replace("\n", "");
    const spanOf = createUrlToSourceByteMapper(written, text);
    expect(spanOf(2, 1).start).toBe(3);
    expect(spanOf(text.indexOf("~"), 1)).toEqual({ start: 3 + bytes.length, endExclusive: 4 + bytes.length });
  });
});
