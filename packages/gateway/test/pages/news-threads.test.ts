import { createClient } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import { createLinkBuilder } from "../../src/pages/link-builder.ts";
import { type ArticleEntry, isArticleEntry, renderThreads } from "../../src/pages/news-threads.ts";

const linkBuilder = createLinkBuilder(createClient({ schemes: [] }), false, "");

function createArticleEntry(messageId: string, fields: Partial<ArticleEntry> = {}): ArticleEntry {
  return { name: "", kind: "article", url: undefined, subject: messageId, from: "A", messageId, ...fields };
}

/** Returns the HTML of a newsgroup page, reduced to nested lists and texts. */
function formatThreadOutline(entries: readonly ArticleEntry[]): string {
  return renderThreads(entries, linkBuilder)
    .markup.replace(/ class="[^"]*"/g, "")
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
  ])("%s", (_, entries, expected) => {
    expect(formatThreadOutline(entries)).toBe(expected);
  });

  it("a thread has at most twelve levels of indentation", () => {
    const ids = Array.from({ length: 200 }, (_, index) => `id${index}`);
    const entries = ids.map((id, index) => createArticleEntry(id, { references: ids.slice(0, index) }));
    const { markup } = renderThreads(entries, linkBuilder);
    expect(markup.match(/<ul/g)).toHaveLength(13);
    expect(markup.match(/<li>/g)).toHaveLength(200);
  });

  it("threads contain only directory entries with a subject and an author", () => {
    expect(isArticleEntry(createArticleEntry("a"))).toBe(true);
    expect(isArticleEntry({ name: "a", kind: "file", url: undefined })).toBe(false);
  });
});
