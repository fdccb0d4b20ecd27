import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readTableBelowHeading } from "./markdown-table.ts";
import { ALL_LIMITS } from "../fixtures/all-limits.ts";

const root = new URL("../..", import.meta.url).pathname;
const page = readFileSync(`${root}SECURITY.md`, "utf8");

const promises = readTableBelowHeading(page, "Promises");
const limits = readTableBelowHeading(page, "Limits");

/** Formats a number as SECURITY.md does, with a space between groups of three digits. */
function formatNumberAsOnPage(value: number): string {
  return value === Infinity ? "none" : String(value).replace(/\B(?=(?:\d{3})+$)/g, " ");
}

describe("SECURITY.md", () => {
  it("SECURITY.md lists every limit with its default, in the order of the source", () => {
    const expected = Object.entries(ALL_LIMITS).map(([name, value]) => [
      `\`${name}\``,
      formatNumberAsOnPage(value),
    ]);
    expect(limits.map(([name, value]) => [name, value])).toEqual(expected);
  });

  it("SECURITY.md describes every limit", () => {
    expect(limits.filter(([, , what = ""]) => what.length < 10)).toEqual([]);
  });

  it.each(promises)("the tests of promise %s exist: %s", (_, __, tests = "") => {
    const paths = [...tests.matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => path);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !path.endsWith(".test.ts") || !existsSync(root + path))).toEqual([]);
  });

  it("SECURITY.md links only to existing files", () => {
    const paths = [...page.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) => path);
    expect(paths.filter((path) => !existsSync(root + path))).toEqual([]);
  });
});
