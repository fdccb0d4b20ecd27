import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { readTableBelowHeading } from "../markdown-table.ts";
import { KNOWN_RUNTIME_FAILURES } from "../../../scripts/matrix/known-failures.ts";
import { readDocsPage, REPOSITORY_FOLDER } from "../code-blocks.ts";

const knownGapsPage = readDocsPage("docs/known-gaps.md");
const skippedTestRows = readTableBelowHeading(knownGapsPage, "Tests that do not run");
const missingFeatureRows = readTableBelowHeading(knownGapsPage, "What a server or a scheme cannot do");

/**
 * Matches code that makes vitest skip a test, such as `it.skip`, `describe.runIf` and `skip()` of a test's context, or
 * expect its failure (`it.fails`).
 */
const SKIPPED_TEST = /\b(?:it|test|describe)\.(?:skip|skipIf|runIf|fails|todo)\b|^ +skip\(/gm;

/** Matches the property of a scheme or server that lists the reasons for skipped tests: `skip` or `missingFeatures`. */
const SKIP_REASONS = /\b(?:skip|missingFeatures): \{([^]*?)\n? *\},?\n/g;

function listTestFiles(): string[] {
  const packages = readdirSync(join(REPOSITORY_FOLDER, "packages")).map((name) => `packages/${name}/test`);
  const folders = [...packages, "test", "scripts", "examples/test"];
  return folders.flatMap((folder) =>
    readdirSync(join(REPOSITORY_FOLDER, folder), { recursive: true, withFileTypes: true })
      .filter(
        ({ name, parentPath }) =>
          name.endsWith(".ts") && !/node_modules|test\/servers\/(?:src|dist)/.test(parentPath),
      )
      .map(({ name, parentPath }) => relative(REPOSITORY_FOLDER, join(parentPath, name))),
  );
}

function readRepositoryFile(path: string): string {
  return readFileSync(join(REPOSITORY_FOLDER, path), "utf8");
}

/** Returns the path of the file that a table cell such as `[name](../path)` links to. */
function parseLinkedPath(cell: string): string {
  return /\]\(\.\.\/(.*)\)/.exec(cell)?.[1] ?? "";
}

/** Returns the string literals in a piece of source code, except quoted keys. */
function parseSkipReasons(source: string): string[] {
  const quoted = source.matchAll(/(["'])((?:(?!\1).)+)\1(:?)/g);
  return [...quoted].flatMap(([, , text = "", colon]) => (colon === "" ? [text] : []));
}

const testSourcesByPath = new Map(listTestFiles().map((path) => [path, readRepositoryFile(path)]));
// This test file contains the searched words, but skips no tests.
testSourcesByPath.delete("test/docs/pages/known-gaps.test.ts");

describe("docs/known-gaps.md", () => {
  it("docs/known-gaps.md lists every place in the tests that skips a test", () => {
    const missing = [...testSourcesByPath].flatMap(([path, text]) => {
      const rows = skippedTestRows.filter(([cell = ""]) => parseLinkedPath(cell) === path).length;
      const places = text.match(SKIPPED_TEST)?.length ?? 0;
      return rows < places ? [`${path}: ${places} places, ${rows} rows`] : [];
    });
    expect(missing).toEqual([]);
  });

  it.each(skippedTestRows)("the test file %s skips the listed test %s", (cell, row = "") => {
    const text = testSourcesByPath.get(parseLinkedPath(cell ?? "")) ?? "";
    expect(text).toMatch(SKIPPED_TEST);
    expect(text).toContain(row.replaceAll("`", ""));
  });

  it("docs/known-gaps.md lists every missing feature of a server or scheme for which tests are skipped", () => {
    const listed = new Set(missingFeatureRows.map(([, reason]) => reason));
    const given = [...testSourcesByPath.values()].flatMap((text) =>
      [...text.matchAll(SKIP_REASONS)].flatMap(([, why = ""]) => parseSkipReasons(why)),
    );
    expect(given.length).toBeGreaterThan(8);
    expect(given.filter((reason) => !listed.has(reason))).toEqual([]);
  });

  it.each(missingFeatureRows)("the test file %s contains the listed reason: %s", (cell = "", reason = "") => {
    expect(testSourcesByPath.get(parseLinkedPath(cell))).toContain(reason);
  });

  it.each(KNOWN_RUNTIME_FAILURES)(
    "docs/known-gaps.md lists the missing feature of $toolName: $testName",
    ({ toolName: tool, testName: row, expectedOutput }) => {
      const texts = readTableBelowHeading(knownGapsPage, "Missing features").map((cells) => cells.join(" "));
      expect(
        texts.filter((text) => [tool, row, expectedOutput].every((part) => text.includes(part))),
      ).toHaveLength(1);
    },
  );

  it.each(readTableBelowHeading(knownGapsPage, "Missing features"))(
    "the listed missing feature of %s has a reason: %s, %s",
    (...cells) => {
      expect(cells.filter((cell) => cell.length < 3)).toEqual([]);
    },
  );
});
