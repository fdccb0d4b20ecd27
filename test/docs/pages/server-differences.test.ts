import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTableBelowHeading } from "../markdown-table.ts";
import { readDocsPage, REPOSITORY_FOLDER } from "../code-blocks.ts";

const serversPage = readDocsPage("docs/server-differences.md");
const pageHeadings = [...serversPage.matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);
const pageRows = pageHeadings.flatMap((heading) =>
  readTableBelowHeading(serversPage, heading).map((cells) => ({ heading, cells })),
);

/** Returns the problem of a cell that must name a test file and the title of a test: `[file](path): "title"`. */
function findTestReferenceProblem(cell: string): string | undefined {
  const [, path, title] = /^\[[^\]]+\]\(([^)]+)\): "(.+)"$/.exec(cell) ?? [];
  if (path === undefined || title === undefined) return "the cell does not name a file and a test title";
  const file = join(REPOSITORY_FOLDER, "docs", path);
  if (!existsSync(file)) return `there is no ${path}`;
  return readFileSync(file, "utf8").includes(title) ? undefined : `${path} has no "${title}"`;
}

describe("docs/server-differences.md", () => {
  it("docs/server-differences.md has a table for each scheme with tested servers", () => {
    expect(pageHeadings).toEqual(["FTP", "HTTP", "Gopher", "News", "Telnet", "WAIS", "Prospero"]);
    expect(pageRows.length).toBeGreaterThan(30);
  });

  it.each(pageRows)("the row names an existing test: $heading, $cells.0, $cells.1", ({ cells }) => {
    expect(cells).toHaveLength(4);
    expect(findTestReferenceProblem(cells[3] ?? "")).toBeUndefined();
  });

  it.each([
    ['[x](../packages/none.test.ts): "x"', "there is no ../packages/none.test.ts"],
    ['[servers](servers.md): "a title that is not there".', "the cell does not name a file and a test title"],
    ['[core](../package.json): "none such"', '../package.json has no "none such"'],
  ])("findTestReferenceProblem finds the fault of the cell %s", (cell, fault) => {
    expect(findTestReferenceProblem(cell)).toBe(fault);
  });
});
