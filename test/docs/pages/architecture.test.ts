import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readMarkdownPage, REPOSITORY_FOLDER } from "../code-blocks.ts";
import { readTableBelowHeading } from "../markdown-table.ts";

const architecturePage = readMarkdownPage("docs/architecture.md");
const REQUEST_PATH_HEADINGS = ["ftp://host/a/b", "http://host/p"].map(
  (url) => `Path of \`client.dereference("${url}")\``,
);

/** Returns the files that a table cell names. A file name without a folder is in the folder of the previous file. */
function listFilesOfCell(cell: string): string[] {
  let folder = "";
  return [...cell.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = ""]) => {
    if (!name.includes("/")) return join(folder, name);
    const [scheme = "", ...rest] = name.split("/");
    const path = existsSync(join(REPOSITORY_FOLDER, "packages", scheme))
      ? join(scheme, "src", ...rest)
      : join(folder, name);
    folder = dirname(path);
    return path;
  });
}

describe("docs/architecture.md", () => {
  const rows = REQUEST_PATH_HEADINGS.flatMap((heading) => readTableBelowHeading(architecturePage, heading));

  it("docs/architecture.md describes the paths of an ftp and an http request", () => {
    expect(rows.length).toBeGreaterThan(10);
  });

  it.each(rows)("the files of the step %s exist", (_, cell = "") => {
    const files = listFilesOfCell(cell);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(join(REPOSITORY_FOLDER, "packages", file)))).toEqual([]);
  });

  it("the path of an ftp request passes at most 30 files", () => {
    const files = readTableBelowHeading(architecturePage, REQUEST_PATH_HEADINGS[0] ?? "").flatMap(
      ([, cell = ""]) => listFilesOfCell(cell),
    );
    expect(new Set(files).size).toBeLessThanOrEqual(30);
  });
});
