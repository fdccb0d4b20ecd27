import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPage, root } from "./code-blocks.ts";
import { rowsBelow } from "./markdown-table.ts";

const page = readPage("docs/architecture.md");
const PATHS = ["ftp://host/a/b", "http://host/p"].map((url) => `Path of \`client.dereference("${url}")\``);

/** Returns the files of a table cell. A name without a folder is in the folder of the previous name. */
function filesIn(cell: string): string[] {
  let folder = "";
  return [...cell.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = ""]) => {
    if (!name.includes("/")) return join(folder, name);
    const [scheme = "", ...rest] = name.split("/");
    const path = existsSync(join(root, "packages", scheme))
      ? join(scheme, "src", ...rest)
      : join(folder, name);
    folder = dirname(path);
    return path;
  });
}

describe("docs/architecture.md", () => {
  const rows = PATHS.flatMap((heading) => rowsBelow(page, heading));

  it("has the paths of ftp and http", () => {
    expect(rows.length).toBeGreaterThan(10);
  });

  it.each(rows)("%s: the files exist", (_, cell = "") => {
    const files = filesIn(cell);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(join(root, "packages", file)))).toEqual([]);
  });

  it("leads from text to bytes of ftp through at most 34 files", () => {
    const files = rowsBelow(page, PATHS[0] ?? "").flatMap(([, cell = ""]) => filesIn(cell));
    expect(new Set(files).size).toBeLessThanOrEqual(34);
  });
});
