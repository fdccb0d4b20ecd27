import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rowsBelow } from "./markdown-table.ts";
import { readPage, root } from "./code-blocks.ts";

const page = readPage("docs/servers.md");
const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);
const rows = headings.flatMap((heading) => rowsBelow(page, heading).map((cells) => ({ heading, cells })));

/** Returns the problem of the last cell of a row: `[file](path): "title"`. */
function faultOf(cell: string): string | undefined {
  const [, path, title] = /^\[[^\]]+\]\(([^)]+)\): "(.+)"$/.exec(cell) ?? [];
  if (path === undefined || title === undefined) return "it names no file and title";
  const file = join(root, "docs", path);
  if (!existsSync(file)) return `there is no ${path}`;
  return readFileSync(file, "utf8").includes(title) ? undefined : `${path} has no "${title}"`;
}

describe("docs/servers.md", () => {
  it("has rows for the schemes with servers", () => {
    expect(headings).toEqual(["FTP", "HTTP", "Gopher", "News", "Telnet", "WAIS", "Prospero"]);
    expect(rows.length).toBeGreaterThan(30);
  });

  it.each(rows)("$heading: $cells.0 $cells.1", ({ cells }) => {
    expect(cells).toHaveLength(4);
    expect(faultOf(cells[3] ?? "")).toBeUndefined();
  });

  it.each([
    ['[x](../packages/none.test.ts): "x"', "there is no ../packages/none.test.ts"],
    ['[servers](servers.md): "a title that is not there".', "it names no file and title"],
    ['[core](../package.json): "none such"', '../package.json has no "none such"'],
  ])("sees that %s shows nothing", (cell, fault) => {
    expect(faultOf(cell)).toBe(fault);
  });
});
