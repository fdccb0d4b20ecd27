import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { CORE_LAYERS } from "../../layers/import-rules.ts";
import { readDocsPage, REPOSITORY_FOLDER } from "../code-blocks.ts";
import { readTableBelowHeading } from "../markdown-table.ts";

const architecturePage = readDocsPage("docs/architecture.md");
const PATH_OF_PLAN = 'Path of `client.plan("ftp://host/a/b")`';
const PATH_OF_FTP_REQUEST = 'Path of `client.dereference("ftp://host/a/b")`';
const PATH_OF_HTTP_REQUEST = 'Path of `client.dereference("http://host/p")`';
const FUNCTIONS = "Functions without state";

/**
 * Returns the source files in the table below a heading of the architecture page. In this table, a file name without a
 * folder means a file in the folder of the previous one.
 */
function listFilesBelow(heading: string): string[] {
  return readTableBelowHeading(architecturePage, heading).flatMap(([, cell = ""]) => {
    let folder = "";
    return [...cell.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = ""]) => {
      if (!name.includes("/")) return join(folder, name);
      folder = dirname(name);
      return name;
    });
  });
}

/** Returns the files whose functions run, for each of the three calls on the page. */
async function listExecutedFiles(): Promise<Record<"plan" | "ftp" | "http", string[]>> {
  const program = join(REPOSITORY_FOLDER, "test/docs/print-files-executed-by-requests.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  return JSON.parse(stdout) as Record<"plan" | "ftp" | "http", string[]>;
}

describe("docs/architecture.md", () => {
  const [plan = [], ftp = [], http = [], functions = []] = [
    PATH_OF_PLAN,
    PATH_OF_FTP_REQUEST,
    PATH_OF_HTTP_REQUEST,
    FUNCTIONS,
  ].map(listFilesBelow);

  it("the files that docs/architecture.md names exist", () => {
    const files = [...plan, ...ftp, ...http, ...functions];
    expect(files.length).toBeGreaterThan(50);
    const missing = files.filter((file) => {
      const [scheme = "", ...path] = file.split("/");
      return !existsSync(join(REPOSITORY_FOLDER, "packages", scheme, "src", ...path));
    });
    expect(missing).toEqual([]);
  });

  it("docs/architecture.md names each file whose functions run during its three calls, and no other file", async () => {
    const executed = await listExecutedFiles();
    const core = plan.concat(ftp).filter((file) => file.startsWith("core/"));
    const named = { plan, ftp: plan.concat(ftp), http: core.concat(http) };
    const isNoFunction = (file: string): boolean => !functions.includes(file);
    expect(executed.plan.filter(isNoFunction).toSorted()).toEqual(named.plan.toSorted());
    expect(executed.ftp.filter(isNoFunction).toSorted()).toEqual(named.ftp.toSorted());
    const isUsedByFtpOnly = (file: string): boolean => file.startsWith("core/io/commands/");
    expect(executed.http.filter(isNoFunction).toSorted()).toEqual(
      named.http.filter((file) => !isUsedByFtpOnly(file)).toSorted(),
    );
    const all = new Set(Object.values(executed).flat());
    expect(functions.filter((file) => !all.has(file))).toEqual([]);
  });

  it("docs/architecture.md lists the layers of core that the import rules check", () => {
    const [, drawing = ""] = /layers of core.*\n((?: {3}.*\n)+)/.exec(architecturePage) ?? [];
    const layers = drawing.trimEnd().split("\n");
    expect(layers.map((line) => line.trim().split(", ")).toReversed()).toEqual(CORE_LAYERS);
  });
});
