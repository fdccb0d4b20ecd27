import type { DirectoryEntry } from "@anyscheme/core";
import { createGenericSyntax } from "@anyscheme/core/syntax";
import { expect, it } from "vitest";
import { NntpArticleEntry } from "@anyscheme/scheme-others/nntp";
import { nntpSyntax } from "@anyscheme/scheme-others/nntp/syntax";
import { formatDirectoryEntry, GopherMenuFormatter } from "../../src/output/directory-entry-format.ts";

const entryUrl = createGenericSyntax().parse("gopher://h/");

it.each([
  [{ kind: "text", name: "A text" }, "  1 text   A text"],
  [{ kind: "menu", name: "A menu" }, "  1 menu   A menu"],
  [{ kind: "phone-book", name: "Phones" }, "  1 phones Phones"],
  [{ kind: "unknown", name: "Odd" }, "  1 ?      Odd"],
  [{ kind: "text", name: "Order", plus: "?" }, "  1 form   Order"],
  [{ kind: "text", name: "No place", url: undefined }, "    text   No place"],
  [{ kind: "info", name: "  words", url: undefined }, "             words"],
  [{ kind: "info", name: "", url: undefined }, ""],
  [{ kind: "error", name: "Gone", url: undefined }, "    error  Gone"],
  [
    { kind: "info", name: "words", url: undefined, fault: "the menu line has no fields" },
    "    fault  words: the menu line has no fields",
  ],
  [{ kind: "text", name: "a\x1b[2J\rb\u202ec\ud800" }, "  1 text   a\\x1b[2J\\x0db\\u{202e}c\\u{d800}"],
])("GopherMenuFormatter formats the menu entry %j", (init, line) => {
  const entry: DirectoryEntry & { itemType: string } = { url: entryUrl, itemType: "0", ...init };
  expect(new GopherMenuFormatter().formatEntry(entry)).toBe(line);
});

it("GopherMenuFormatter numbers only links, also with more than three digits", () => {
  const menu = new GopherMenuFormatter();
  const line = (init: Partial<DirectoryEntry>): string | undefined =>
    menu.formatEntry({ url: entryUrl, kind: "text", name: "x", itemType: "0", ...init } as DirectoryEntry);
  expect([line({}), line({ kind: "info", url: undefined }), line({})]).toEqual([
    "  1 text   x",
    "           x",
    "  2 text   x",
  ]);
  for (let count = 2; count < 999; count++) line({});
  expect(line({})).toBe("1000 text   x");
  expect(menu.formatEntry({ url: entryUrl, kind: "file", name: "x" })).toBeUndefined();
});

function formatArticle(subject: string, from: string): string {
  const line = Buffer.from(["7", subject, from, "21 Nov 2026 12:00:00 GMT", "<i@h>"].join("\t"));
  const entry = new NntpArticleEntry(line.toString("latin1"), nntpSyntax.parse("nntp://h/"), "a.b");
  return formatDirectoryEntry(entry);
}

it.each([
  ["short <s@h>", "short <s@h>             "],
  ["日本語 <s@h>", "日本語 <s@h>            "],
  ["日本語日本語日本語日本語", "日本語日本語日本語日本語"],
  ["日本語日本語日本語日本語 <s@h>", "日本語日本語日本語日本… "],
])("formatDirectoryEntry gives the sender %s 24 columns", (from, sender) => {
  expect(formatArticle("Hello", from)).toBe(`       7  2026-11-21 12:00  ${sender}  Hello`);
});

it("formatDirectoryEntry decodes encoded words, and escapes control characters in them", () => {
  const line = formatArticle("=?iso-8859-1?Q?caf=E9?= =?utf-8?Q?=1b[2J?=", "=?utf-8?B?5pel5pys?= <s@h>");
  expect(line).toBe("       7  2026-11-21 12:00  日本 <s@h>                café\\x1b[2J");
});
