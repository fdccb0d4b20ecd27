import { createClient, type DirectoryEntry, type TraceEvent } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import { formatContentDisposition } from "../../src/http/response.ts";
import { sortDirectoryEntries } from "../../src/pages/directory-table.ts";
import { truncateText } from "../../src/pages/html.ts";
import { createLinkBuilder } from "../../src/pages/link-builder.ts";
import { createNewsgroupAndReferenceLinks } from "../../src/pages/news-threads.ts";
import { renderPlanAndTrace } from "../../src/pages/plan-and-trace.ts";

const client = createClient({ schemes: [] });
const LONG = '"'.repeat(60_000);

describe("parts of a page have a maximum length", () => {
  it.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["a\u{1f600}b", 3, "a…"],
  ])("truncateText shortens the text %j to at most %i characters: %j", (text, length, expected) => {
    expect(truncateText(text, length)).toBe(expected);
  });

  it("the markup of 200 long trace events and five long redirects has at most 3 000 000 characters", () => {
    const event = { action: "receive", text: LONG, atMs: 1, url: "", step: undefined };
    const events = Array.from({ length: 200 }, () => event as unknown as TraceEvent);
    const redirect = { fromUrl: client.parse(`x://h/${"a".repeat(60_000)}`), reason: "moved" };
    const { markup } = renderPlanAndTrace(undefined, events, Array(5).fill(redirect));
    expect(markup.length).toBeLessThan(3_000_000);
  });

  it("an article has links to at most 20 newsgroups and 10 references", () => {
    const names = Array.from({ length: 30_000 }, (_, index) => `g${index}`);
    const article = { subject: "", newsgroups: names, references: names };
    const texts = createNewsgroupAndReferenceLinks(article, client, createLinkBuilder(client, false, "")).map(
      ({ text }) => text,
    );
    expect(texts).toEqual([...names.slice(0, 20), ...names.slice(-10).map((name) => `<${name}>`)]);
  });

  it("the Content-Disposition field contains the end of a long file name", () => {
    expect(formatContentDisposition("attachment", `${LONG}.txt`).length).toBeLessThan(1_000);
    expect(formatContentDisposition("attachment", `${LONG}.txt`)).toContain('____.txt"');
  });
});

describe("a listing is sorted with one access to the key of each entry", () => {
  it.each(["name", "size", "date"] as const)(
    "sortDirectoryEntries reads the key of each entry once for the order %s",
    (order) => {
      const accesses: string[] = [];
      const entries = Array.from({ length: 1_000 }, (_, index): DirectoryEntry => {
        const value = (index * 7_919) % 1_000;
        const key = {
          name: String(value).padStart(3, "0"),
          size: 999 - value,
          modified: new Date(999 - value),
        };
        return {
          url: undefined,
          kind: "file",
          get name() {
            accesses.push("name");
            return key.name;
          },
          get size() {
            accesses.push("size");
            return key.size;
          },
          get modified() {
            accesses.push("date");
            return key.modified;
          },
        };
      });
      const sorted = sortDirectoryEntries(entries, order);
      expect(accesses).toEqual(Array(1_000).fill(order));
      expect(sorted.map(({ name }) => Number(name))).toEqual(Array.from(sorted.keys()));
    },
  );

  it("an entry without a date or with an invalid date is after the entries with dates", () => {
    const dates = [undefined, new Date(1), new Date(Number.NaN), new Date(2)];
    const entries = dates.map((modified, index) => ({
      name: `e${index}`,
      kind: "file",
      url: undefined,
      modified,
    }));
    expect(sortDirectoryEntries(entries, "date").map(({ name }) => name)).toEqual(["e3", "e1", "e0", "e2"]);
  });
});
