import { createClient } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import { createLinkBuilder } from "../../src/pages/link-builder.ts";
import { type ArticleEntry, isArticleEntry, renderThreads } from "../../src/pages/news-threads.ts";

const linkBuilder = createLinkBuilder(createClient({ schemes: [] }), false, "");

/** The longest subject of an overview line, in characters whose escapes are long. */
const LONG = '"\u202e'.repeat(4_000);

function createArticleEntry(messageId: string, fields: Partial<ArticleEntry> = {}): ArticleEntry {
  return { name: "", kind: "article", url: undefined, subject: messageId, from: "A", messageId, ...fields };
}

function renderThreadsMarkup(entries: readonly ArticleEntry[]): string {
  return Array.from(renderThreads(entries, linkBuilder), ({ markup }) => markup).join("");
}

/** Returns the HTML of a newsgroup page, reduced to nested lists and texts. */
function formatThreadOutline(entries: readonly ArticleEntry[]): string {
  return renderThreadsMarkup(entries)
    .replace(/ class="[^"]*"/g, "")
    .replace(/<ul>/g, "(")
    .replace(/<\/ul>/g, ")")
    .replace(/<\/?(?:li|span)>/g, "")
    .replace(/\s+/g, " ");
}

describe("renderThreads shows news articles as threads", () => {
  it.each<[string, ArticleEntry[], string]>([
    [
      "a reply is below the last listed article of its References field",
      [
        createArticleEntry("a"),
        createArticleEntry("b", { references: ["a"] }),
        createArticleEntry("c", { references: ["a", "gone"] }),
      ],
      "( a A, undated ( b A, undated c A, undated ) ) ",
    ],
    [
      "an article ignores references to later articles and to itself",
      [createArticleEntry("a", { references: ["b", "a"] }), createArticleEntry("b", { references: ["a"] })],
      "( a A, undated ( b A, undated ) ) ",
    ],
    [
      "a date is shown as a day if it can be parsed, and otherwise as the text of the Date field",
      [
        createArticleEntry("a", { date: "yesterday" }),
        createArticleEntry("b", { date: "x", modified: new Date(Date.UTC(1993, 1, 2)) }),
        createArticleEntry("", { date: "", modified: new Date(Number.NaN) }),
      ],
      "( a A, yesterday b A, 1993-02-02 (no subject) A, undated ) ",
    ],
    [
      "encoded words of subjects and senders are decoded, and the result is escaped",
      [
        createArticleEntry("a", {
          subject: "=?iso-8859-1?Q?caf=E9?= =?utf-8?B?PGI+?=",
          from: "=?utf-8?Q?J=C3=B6?= <j@h.example>",
        }),
      ],
      "( café&lt;b&gt; Jö &lt;j@h.example&gt;, undated ) ",
    ],
  ])("%s", (_, entries, expected) => {
    expect(formatThreadOutline(entries)).toBe(expected);
  });

  it("a thread has at most twelve levels of indentation", () => {
    const ids = Array.from({ length: 200 }, (_, index) => `id${index}`);
    const entries = ids.map((id, index) => createArticleEntry(id, { references: ids.slice(0, index) }));
    const markup = renderThreadsMarkup(entries);
    expect(markup.match(/<ul/g)).toHaveLength(13);
    expect(markup.match(/<li>/g)).toHaveLength(200);
  });

  it("a list item ends after the replies to its article, up to the maximum depth", () => {
    const ids = Array.from({ length: 15 }, (_, index) => `id${index}`);
    const chain = ids.map((id, index) => createArticleEntry(id, { references: ids.slice(0, index) }));
    const entries = [
      ...chain,
      createArticleEntry("late", { references: ["id11"] }),
      createArticleEntry("root"),
    ];
    const open: string[] = [];
    const depths = new Map<string, number>();
    for (const [, slash, name = "", text] of renderThreadsMarkup(entries).matchAll(
      /<(\/?)(ul|li)[^>]*>([\w ]*)/g,
    )) {
      if (slash === "") {
        open.push(name);
        if (name === "li") depths.set(text ?? "", open.filter((each) => each === "ul").length);
      } else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
    const expected = ids.map((id, index) => [`${id} `, Math.min(index + 1, 13)]);
    expect(Object.fromEntries(depths)).toEqual(
      Object.fromEntries([...expected, ["late ", 13], ["root ", 1]]),
    );
  });

  it.each<[string, (index: number) => Partial<ArticleEntry>, number]>([
    [
      "100 000 articles, each a reply to the one before",
      (index) => ({ references: [`m${index - 1}`] }),
      100_000,
    ],
    ["100 000 replies to one article", () => ({ references: ["m0"] }), 100_000],
    [
      "1 000 long subjects and authors of escaped characters",
      () => ({ subject: LONG, from: LONG, date: LONG }),
      1_000,
    ],
    [
      "1 000 long subjects in chains of two articles",
      (index) => ({ subject: LONG, from: LONG, references: [`m${index % 2 === 0 ? index - 2 : index - 1}`] }),
      1_000,
    ],
  ])("the markup has at most 8 000 characters for each article: %s", (_, createFields, count) => {
    let length = 0;
    const entries = Array.from({ length: count }, (_, index) =>
      createArticleEntry(`m${index}`, createFields(index)),
    );
    for (const { markup } of renderThreads(entries, linkBuilder)) length += markup.length;
    expect(length).toBeGreaterThan(count * 20);
    expect(length).toBeLessThan(count * 8_000);
  });

  it("isArticleEntry is true only for directory entries with a subject and an author", () => {
    expect(isArticleEntry(createArticleEntry("a"))).toBe(true);
    expect(isArticleEntry({ name: "a", kind: "file", url: undefined })).toBe(false);
  });
});
