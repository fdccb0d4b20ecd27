import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { rowsBelow } from "./markdown-table.ts";
import { ALL_LIMITS } from "../fixtures/all-limits.ts";

const root = new URL("../../", import.meta.url).pathname;
const page = readFileSync(`${root}SECURITY.md`, "utf8");

const promises = rowsBelow(page, "Promises");
const limits = rowsBelow(page, "Limits");

/** Returns a number in the format of the page, with a space between groups of three digits. */
function written(value: number): string {
  return value === Infinity ? "none" : String(value).replace(/\B(?=(?:\d{3})+$)/g, " ");
}

describe("SECURITY.md", () => {
  it("has every limit with its default, in the order of the source", () => {
    const expected = Object.entries(ALL_LIMITS).map(([name, value]) => [`\`${name}\``, written(value)]);
    expect(limits.map(([name, value]) => [name, value])).toEqual(expected);
  });

  it("describes every limit", () => {
    expect(limits.filter(([, , what = ""]) => what.length < 10)).toEqual([]);
  });

  it.each(promises)("%s. %s: its tests are there", (_, __, tests = "") => {
    const paths = [...tests.matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => path);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !path.endsWith(".test.ts") || !existsSync(root + path))).toEqual([]);
  });

  it("links to existing files", () => {
    const paths = [...page.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) => path);
    expect(paths.filter((path) => !existsSync(root + path))).toEqual([]);
  });
});
