import { DEFAULT_CORE_LIMITS, type CoreLimits } from "@anyscheme/core";
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ArticleHeader } from "../../src/nntp/article-header.ts";
import {
  findArticleDate,
  parseArticleHeaderFields,
  peekArticleHeader,
} from "../../src/nntp/article-header.ts";
import { parseRfc5322Date } from "../../src/nntp/header-values.ts";
import { createByteSourceFromLatin1 } from "../byte-source.ts";

const toLatin1Bytes = (text: string): Buffer => Buffer.from(text, "latin1");

// RFC 5322 §2.2, RFC 5536 §3
describe("an article provides its header fields", () => {
  it.each<[string, [string, string][]]>([
    ["Subject: first\r\n", [["Subject", "first"]]],
    [
      "A: 1\r\nB:2\r\nA:  3  \r\n",
      [
        ["A", "1"],
        ["B", "2"],
        ["A", "3"],
      ],
    ],
    ["Subject: one\r\n two\r\n\tthree\r\n", [["Subject", "one two\tthree"]]],
    ["X: a:b\r\n", [["X", "a:b"]]],
    ["Subject:\r\n", [["Subject", ""]]],
    ["Subject : old\r\n", [["Subject", "old"]]],
    [
      "S: caf\xc3\xa9\r\nT: caf\xe9\r\n",
      [
        ["S", "café"],
        ["T", "café"],
      ],
    ],
    ["S: =?utf-8?q?caf=C3=A9?=\r\n", [["S", "=?utf-8?q?caf=C3=A9?="]]],
    ["no field\r\n: none\r\nA b: none\r\nX: y\r\n", [["X", "y"]]],
    ["", []],
  ])("the client parses the fields of the header section %j", (head, fields) => {
    expect(parseArticleHeaderFields(toLatin1Bytes(head)).map(({ name, value }) => [name, value])).toEqual(
      fields,
    );
  });

  it("the client finds header fields by their names in any case", () => {
    const article = new ArticleHeader(
      1,
      "one@x",
      parseArticleHeaderFields(
        toLatin1Bytes(
          "NEWSGROUPS: a.b, c.d,\r\nreferences: <1@x>\r\n <2@x>\r\nXref: news.x a.b:17 c.d:4 bad:x\r\nDate: Fri, 20 Nov 2026 20:01:00 +0100\r\nFrom: A <a@x>\r\n",
        ),
      ),
    );
    expect(article.newsgroups).toEqual(["a.b", "c.d"]);
    expect(article.references).toEqual(["1@x", "2@x"]);
    expect(article.locations).toEqual([
      { group: "a.b", number: "17" },
      { group: "c.d", number: "4" },
    ]);
    expect(article.date?.toISOString()).toBe("2026-11-20T19:01:00.000Z");
    expect([article.from, article.subject, article.field("x-none")]).toEqual([
      "A <a@x>",
      undefined,
      undefined,
    ]);
  });
});

it("the client parses the header of an article once, and only when the caller reads a field", () => {
  const head = toLatin1Bytes("Subject: a\r\nFrom: b\r\n");
  const parseFields = vi.fn(() => parseArticleHeaderFields(head));
  const article = new ArticleHeader(1, "one@x", parseFields);
  expect([article.number, article.messageId, parseFields.mock.calls.length]).toEqual([1, "one@x", 0]);
  expect([article.subject, article.from, parseFields.mock.calls.length]).toEqual(["a", "b", 1]);
  expect(JSON.parse(JSON.stringify(article))).toEqual({
    number: 1,
    messageId: "one@x",
    fields: [
      { name: "Subject", value: "a" },
      { name: "From", value: "b" },
    ],
  });
});

describe("the client parses the Date field of an article", () => {
  const foldedDate = "Date: Fri, 20 Nov 2026\r\n 20:01:05\r\n\t+0100\r\n";

  it.each<[head: string, iso: string | undefined]>([
    ["Date: Fri, 20 Nov 2026 20:01:05 +0000\r\nSubject: a\r\n", "2026-11-20T20:01:05.000Z"],
    ["Subject: a\r\nDATE : 20 Nov 2026 20:01:05\r\n", "2026-11-20T20:01:05.000Z"],
    [`Subject: a\r\n${foldedDate}From: b\r\n`, "2026-11-20T19:01:05.000Z"],
    ["Subject: a\r\n Date: 20 Nov 2026 20:01:05\r\n", undefined],
    ["X-Date: 20 Nov 2026 20:01:05\r\n", undefined],
    ["Date: no time\r\nDate: 20 Nov 2026 20:01:05\r\n", undefined],
    ["Date:\r\n", undefined],
    ["", undefined],
  ])("the client parses the date in the header section %j", (head, iso) => {
    const all = new ArticleHeader(1, "1@x", parseArticleHeaderFields(toLatin1Bytes(head)));
    expect([findArticleDate(toLatin1Bytes(head))?.toISOString(), all.date?.toISOString()]).toEqual([
      iso,
      iso,
    ]);
  });
});

// RFC 5322 §3.3, §4.3
describe("the client parses dates of RFC 5322", () => {
  it.each([
    ["Fri, 20 Nov 2026 20:01:05 +0000", "2026-11-20T20:01:05.000Z"],
    ["Fri, 20 Nov 2026 21:13:05 -0000 (UTC)", "2026-11-20T21:13:05.000Z"],
    ["20 Nov 2026 20:01 -0130", "2026-11-20T21:31:00.000Z"],
    ["Fri, 20 Nov 94 20:01:05 EST", "1994-11-21T01:01:05.000Z"],
    ["1 Jan 26 00:00:00 GMT", "2026-01-01T00:00:00.000Z"],
    ["1 Jan 101 00:00:00 Z", "2001-01-01T00:00:00.000Z"],
    ["Friday, 20 November 2026 20:01:05 XYZ", "2026-11-20T20:01:05.000Z"],
    ["  20\tNov  2026 20:01:05", "2026-11-20T20:01:05.000Z"],
    ["29 Feb 2024 20:01:05", "2024-02-29T20:01:05.000Z"],
    ["31 Dec 2016 23:59:60 +0000", "2017-01-01T00:00:00.000Z"],
    // §3.3: the blank after the comma is optional.
    ["Fri,21 Nov 1997 09:55:06 -0600", "1997-11-21T15:55:06.000Z"],
    ["Fri, 21 Nov 1997 09:55:06 (x) -0600", "1997-11-21T15:55:06.000Z"],
    // Appendix A.5 and A.6.3
    [
      "Thu,\r\n      13\r\n        Feb\r\n          1969\r\n      23:32\r\n -0330 (Newfoundland Time)",
      "1969-02-14T03:02:00.000Z",
    ],
    ["Fri, 21 Nov 1997 09(comment):   55  :  06 -0600", "1997-11-21T15:55:06.000Z"],
    ["(a (b\\) c) d) Fri , 21 Nov 1997 09:55:06 -0600", "1997-11-21T15:55:06.000Z"],
    ["Fri, 21 Nov 1997 09:55:06 -0600 (cut off", "1997-11-21T15:55:06.000Z"],
    ["21 Nov 1997 09:55:06-0600", "1997-11-21T15:55:06.000Z"],
    ["21 Nov 1997 09:55:06 -0600 CST", "1997-11-21T15:55:06.000Z"],
    ["21 Nov 1997 09:55:06 EST DST", "1997-11-21T14:55:06.000Z"],
    ["21 Nov 1997 09:55:06 Middle European Time", "1997-11-21T09:55:06.000Z"],
  ])("the client parses the date %s", (text, iso) => {
    expect(parseRfc5322Date(text)?.toISOString()).toBe(iso);
  });

  it.each([
    "",
    "yesterday",
    "32 Nov 2026 20:01:05",
    "20 Nov 2026 24:01:05",
    "0 Nov 2026 20:01:05",
    "31 Feb 2026 20:01:05",
    "31 Nov 2026 20:01:05",
    "29 Feb 2026 20:01:05",
    "1 Jan 0000 00:00:00",
    "20 Nov 2026 25:01:05",
    "20 Nov 2026 20:60:05",
    "20 Nov 2026 20:01:61",
    "20 Nov 2026 20:01:05 +0160",
    "20 ebm 2026 20:01:05",
    "20 Nov 2026 20:01:05 GMT+0100",
    "20 Nov 2026 20:01:05 +01:00",
    "20 Nov 2026 20:01:05 +01000",
    "20 Nov 2026 20:01:05.250 +0100",
    "20 Nov 2026 20:01:05 x) -0600",
    "20 Nov 2026",
    "2026-11-20T20:01:05Z",
  ])("the client rejects the invalid date %j", (text) => {
    expect(parseRfc5322Date(text)).toBeUndefined();
  });
});

describe("the client reads the header section of an article", () => {
  const text = "Subject: a\r\nX: y\r\n\r\nbody\r\n\r\nmore\r\n";

  /** Reads the header and the whole text of an article in the given chunks. */
  async function read(
    pieces: readonly string[],
    limits: Partial<CoreLimits> = {},
  ): Promise<[head: string, whole: string]> {
    const { header: head, headerAndBody } = await peekArticleHeader(createByteSourceFromLatin1(pieces), {
      ...DEFAULT_CORE_LIMITS,
      ...limits,
    });
    let whole = "";
    while (
      (await headerAndBody.readChunks((piece) => (whole += Buffer.from(piece).toString("latin1")) === "")) !==
      "end"
    );
    return [Buffer.from(head).toString("latin1"), whole];
  }

  it("the client finds the empty line after the header section in chunks of any size, and keeps all bytes", async () => {
    for (let at = 0; at <= text.length; at++) {
      expect(await read([text.slice(0, at), text.slice(at)])).toEqual(["Subject: a\r\nX: y\r\n", text]);
    }
    expect(await read(text.split(""))).toEqual(["Subject: a\r\nX: y\r\n", text]);
  });

  it.each([
    ["\r\nbody\r\n", ""],
    ["Subject: a\r\n", "Subject: a\r\n"],
    ["", ""],
    ["Subject: a\n\nb\r\n", "Subject: a\n\nb\r\n"],
  ])("peekArticleHeader splits the article %j after the header section %j", async (whole, head) => {
    expect(await read([whole])).toEqual([head, whole]);
  });

  it.each([
    ["maxHeaderBytes", "Subject: a\r\nX: y\r\n".length],
    ["maxHeaderLines", 2],
  ] as const)("the client limits the header section by %s", async (name, exactly) => {
    expect((await read([text], { [name]: exactly }))[1]).toBe(text);
    for (const pieces of [[text], text.split("")]) {
      await expect(read(pieces, { [name]: exactly - 1 })).rejects.toMatchObject({
        code: "limit",
        limit: name,
      });
    }
    await expect(read(Array<string>(1000).fill("X: y\r\n".repeat(100)))).rejects.toMatchObject({
      code: "limit",
    });
  });

  it("the client returns all bytes of an article, in chunks of any size", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.stringMatching(/^[\r\n:a ]{0,6}$/)), async (pieces) => {
        expect((await read(pieces))[1]).toBe(pieces.join(""));
      }),
    );
  });
});
