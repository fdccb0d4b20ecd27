import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readTableBelowHeading } from "../markdown-table.ts";
import { ALL_LIMITS } from "../../fixtures/all-limits.ts";

const repositoryFolder = new URL("../../..", import.meta.url).pathname;
const securityPage = readFileSync(`${repositoryFolder}SECURITY.md`, "utf8");

const promiseRows = readTableBelowHeading(securityPage, "Promises");
const limitRows = readTableBelowHeading(securityPage, "Limits");

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
    expect(limitRows.map(([name, value]) => [name, value])).toEqual(expected);
  });

  it("SECURITY.md describes every limit", () => {
    expect(limitRows.filter(([, , what = ""]) => what.length < 10)).toEqual([]);
  });

  it.each(promiseRows)("the tests of promise %s exist: %s", (_, __, tests = "") => {
    const paths = [...tests.matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => path);
    expect(paths.length).toBeGreaterThan(0);
    expect(
      paths.filter((path) => !path.endsWith(".test.ts") || !existsSync(repositoryFolder + path)),
    ).toEqual([]);
  });

  it("SECURITY.md links only to existing files", () => {
    const paths = [...securityPage.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) => path);
    expect(paths.filter((path) => !existsSync(repositoryFolder + path))).toEqual([]);
  });
});
