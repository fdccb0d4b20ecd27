import { createClient } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import { linksOf } from "../src/links.ts";
import { type ArticleEntry, isArticle, threads } from "../src/pages/threads.ts";

const links = linksOf(createClient({ schemes: [] }), false, "");

function article(messageId: string, more: Partial<ArticleEntry> = {}): ArticleEntry {
  return { name: "", kind: "article", url: undefined, subject: messageId, from: "A", messageId, ...more };
}

/** What is left of the markup when all but the lists and their words is taken away. */
function outline(entries: readonly ArticleEntry[]): string {
  return threads(entries, links)
    .markup.replace(/ class="[^"]*"/g, "")
    .replace(/<ul>/g, "(")
    .replace(/<\/ul>/g, ")")
    .replace(/<\/?(?:li|span)>/g, "")
    .replace(/\s+/g, " ");
}

describe("threads", () => {
  it.each<[string, ArticleEntry[], string]>([
    [
      "a reply is below the nearest of its references that is there",
      [article("a"), article("b", { references: ["a"] }), article("c", { references: ["a", "gone"] })],
      "( a A, undated ( b A, undated c A, undated ) ) ",
    ],
    [
      "a reference to a later article, or to itself, begins no circle",
      [article("a", { references: ["b", "a"] }), article("b", { references: ["a"] })],
      "( a A, undated ( b A, undated ) ) ",
    ],
    [
      "a date is a day where it can be read, and else as the article has it",
      [
        article("a", { date: "yesterday" }),
        article("b", { date: "x", modified: new Date(Date.UTC(1993, 1, 2)) }),
        article("", { date: "", modified: new Date(Number.NaN) }),
      ],
      "( a A, yesterday b A, 1993-02-02 (no subject) A, undated ) ",
    ],
  ])("%s", (_, entries, expected) => {
    expect(outline(entries)).toBe(expected);
  });

  it("are no deeper than a page is wide", () => {
    const ids = Array.from({ length: 200 }, (_, index) => `id${index}`);
    const entries = ids.map((id, index) => article(id, { references: ids.slice(0, index) }));
    const { markup } = threads(entries, links);
    expect(markup.match(/<ul/g)).toHaveLength(13);
    expect(markup.match(/<li>/g)).toHaveLength(200);
  });

  it("are made of what has a subject and an author", () => {
    expect(isArticle(article("a"))).toBe(true);
    expect(isArticle({ name: "a", kind: "file", url: undefined })).toBe(false);
  });
});
