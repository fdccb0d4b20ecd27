import { type Client, createClient } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { http } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";
import { createBreadcrumbs, createLinkBuilder } from "../../src/pages/link-builder.ts";
import type { PageLink } from "../../src/pages/page-layout.ts";

const client: Client = createClient({ schemes: [ftp(), http()], limits: { maxUrlLength: 1_000_000 } });
const linkBuilder = createLinkBuilder(client, false, "");

function listCrumbs(url: string): readonly PageLink[] {
  return createBreadcrumbs(client.parse(url), client, linkBuilder);
}

/** Returns the total length of the texts and links of breadcrumbs. */
function countCharacters(crumbs: readonly PageLink[]): number {
  return crumbs.reduce((sum, { text, href = "" }) => sum + text.length + href.length, 0);
}

describe("createBreadcrumbs links to the directories above a URL", () => {
  it.each<[string, string, readonly (readonly [string, string | undefined])[]]>([
    [
      "each directory is a link",
      "http://h.example/a/b%20c/d?q",
      [
        ["http://h.example", "/http/h.example/"],
        ["a", "/http/h.example/a/"],
        ["b c", "/http/h.example/a/b%20c/"],
        ["d", undefined],
      ],
    ],
    [
      "an empty segment is a slash",
      "ftp://h.example//a/",
      [
        ["ftp://h.example", "/ftp/h.example/"],
        ["/", "/ftp/h.example//"],
        ["a", undefined],
      ],
    ],
  ])("%s", (_, url, expected) => {
    expect(listCrumbs(url).map(({ text, href }) => [text, href])).toEqual(expected);
  });

  it("a path of 32 segments has a link to each directory", () => {
    const names = Array.from({ length: 32 }, (_, index) => `s${index}`);
    const crumbs = listCrumbs(`http://h.example/${names.join("/")}`);
    expect(crumbs.slice(1).map(({ text }) => text)).toEqual(names);
    expect(crumbs.filter(({ href }) => href === undefined)).toHaveLength(1);
  });

  it("a path of more than 32 segments has links to the first and the last directories, and a text for the others", () => {
    const names = Array.from({ length: 35 }, (_, index) => `s${index}`);
    const crumbs = listCrumbs(`http://h.example/${names.join("/")}`);
    expect(crumbs.map(({ text }) => text)).toEqual([
      "http://h.example",
      ...names.slice(0, 16),
      "s16/s17/s18",
      ...names.slice(19),
    ]);
    expect(crumbs[17]?.href).toBeUndefined();
    expect(crumbs[18]?.href).toBe(`/http/h.example/${names.slice(0, 20).join("/")}/`);
  });

  it.each([
    ["100 000 segments", "a/".repeat(100_000)],
    ["100 000 empty segments", "/".repeat(100_000)],
    ["30 segments after a long segment", `${"a".repeat(100_000)}${"/a".repeat(30)}`],
    ["32 long segments", `${"a".repeat(6_000)}/`.repeat(32)],
  ])(
    "the breadcrumbs have fewer characters than 200 000 plus twice the length of the path: %s",
    (_, path) => {
      const crumbs = listCrumbs(`http://h.example/${path}`);
      expect(crumbs.length).toBeLessThanOrEqual(34);
      expect(countCharacters(crumbs)).toBeLessThan(2 * path.length + 200_000);
    },
  );
});
