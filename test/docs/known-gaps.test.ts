import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { rowsBelow } from "./markdown-table.ts";
import { KNOWN_FAILURES } from "../../scripts/matrix/known-failures.ts";
import { readPage, root } from "./code-blocks.ts";

const page = readPage("docs/known-gaps.md");
const notRun = rowsBelow(page, "Tests that do not run");
const cannot = rowsBelow(page, "What a server or a scheme cannot do");

/**
 * Matches tests that vitest skips, on all or some machines: `it.skip`, `describe.runIf`, `it.fails`, the `skip` of a
 * test's context.
 */
const LEFT_OUT = /\b(?:it|test|describe)\.(?:skip|skipIf|runIf|fails|todo)\b|^ +skip\(/gm;

/** Matches the reasons for skipped tests: `skip` of a scheme, `missingFeatures` of a server. */
const WHY = /\b(?:skip|missingFeatures): \{([^]*?)\n? *\},?\n/g;

function testFiles(): string[] {
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}/test`);
  const folders = [...packages, "test", "scripts", "examples/test"];
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(
        ({ name, parentPath }) =>
          name.endsWith(".ts") && !/node_modules|test\/servers\/(?:src|dist)/.test(parentPath),
      )
      .map(({ name, parentPath }) => relative(root, join(parentPath, name))),
  );
}

function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Returns the file that a cell such as `[name](../path)` links to. */
function fileIn(cell: string): string {
  return /\]\(\.\.\/(.*)\)/.exec(cell)?.[1] ?? "";
}

/** Returns the quoted texts in a piece of source. Quoted keys are excluded. */
function reasonsIn(source: string): string[] {
  const quoted = source.matchAll(/(["'])((?:(?!\1).)+)\1(:?)/g);
  return [...quoted].flatMap(([, , text = "", colon]) => (colon === "" ? [text] : []));
}

const sources = new Map(testFiles().map((path) => [path, textOf(path)]));
// This file only describes the skips in other files.
sources.delete("test/docs/known-gaps.test.ts");

describe("docs/known-gaps.md", () => {
  it("has every place in the tests that leaves something out", () => {
    const missing = [...sources].flatMap(([path, text]) => {
      const rows = notRun.filter(([cell = ""]) => fileIn(cell) === path).length;
      const places = text.match(LEFT_OUT)?.length ?? 0;
      return rows < places ? [`${path}: ${places} places, ${rows} rows`] : [];
    });
    expect(missing).toEqual([]);
  });

  it.each(notRun)("%s %s is there, and left out", (cell, row = "") => {
    const text = sources.get(fileIn(cell ?? "")) ?? "";
    expect(text).toMatch(LEFT_OUT);
    expect(text).toContain(row.replaceAll("`", ""));
  });

  it("has every reason that a test gives for what a server or a scheme cannot do", () => {
    const listed = new Set(cannot.map(([, reason]) => reason));
    const given = [...sources.values()].flatMap((text) =>
      [...text.matchAll(WHY)].flatMap(([, why = ""]) => reasonsIn(why)),
    );
    expect(given.length).toBeGreaterThan(8);
    expect(given.filter((reason) => !listed.has(reason))).toEqual([]);
  });

  it.each(cannot)("%s gives the reason: %s", (cell = "", reason = "") => {
    expect(sources.get(fileIn(cell))).toContain(reason);
  });

  it.each(KNOWN_FAILURES)("has what $tool cannot do: $row", ({ tool, row, expectedOutput: says }) => {
    const texts = rowsBelow(page, "Missing features").map((cells) => cells.join(" "));
    expect(texts.filter((text) => [tool, row, says].every((part) => text.includes(part)))).toHaveLength(1);
  });

  it.each(rowsBelow(page, "Missing features"))("%s: %s, because %s", (...cells) => {
    expect(cells.filter((cell) => cell.length < 3)).toEqual([]);
  });
});
