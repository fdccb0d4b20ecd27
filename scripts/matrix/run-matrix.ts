import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packPublishedPackages } from "../../test/packaging/packed-packages.ts";
import { createRuntimeTestResult, type RuntimeTestResult } from "./runtime-test-result.ts";
import { installPackagesInSeparateProjects, type InstalledProject } from "./install-packages.ts";
import { runAndCheckTestProgram } from "./run-and-check-test-program.ts";
import { PACKAGE_RUNTIME_TESTS, type PackageRuntimeTest } from "./package-runtime-tests.ts";
import { TYPESCRIPT_COMPILERS, installRuntimeTool, RUNTIMES, type RuntimeOrCompiler } from "./runtimes.ts";
import { checkPublishedTypes } from "./check-published-types.ts";

interface MatrixOptions {
  /** The matrix contains only the tools whose names contain `toolFilter`. */
  readonly toolFilter: string;
  /** The matrix contains only the rows whose names contain `rowFilter`. */
  readonly rowFilter: string;
  readonly log: (line: string) => void;
}

/**
 * Runs the selected rows on the selected tools and prints the matrix. Returns the number of cells with an
 * unexpected result.
 */
export async function runRuntimeMatrix({
  toolFilter: only,
  rowFilter: row,
  log,
}: MatrixOptions): Promise<number> {
  const work = await mkdtemp(join(tmpdir(), "anyscheme-matrix-"));
  try {
    const packed = await packPublishedPackages(join(work, "archives"));
    const projects = await installPackagesInSeparateProjects(packed, work);
    const rows = PACKAGE_RUNTIME_TESTS.filter(({ name }) => name.includes(row));
    const wanted = (tools: readonly RuntimeOrCompiler[]): RuntimeOrCompiler[] =>
      tools.filter(({ columnHeading: name }) => name.includes(only));
    const cells: RuntimeTestResult[] = [...projects].map(([folder, { unexpectedPackages: besides }]) =>
      createRuntimeTestResult(
        "npm",
        PACKAGE_RUNTIME_TESTS.find((row) => row.packageFolder === folder)?.name ?? folder,
        besides.length === 0 ? undefined : `the package installs unexpected packages: ${besides.join(", ")}`,
      ),
    );
    for (const tool of wanted(RUNTIMES)) {
      const command = await installRuntimeTool(tool);
      for (const each of rows)
        cells.push(
          createRuntimeTestResult(
            tool.columnHeading,
            each.name,
            await runPackageTest(command, each, projects),
          ),
        );
    }
    for (const tool of row === "" ? wanted(TYPESCRIPT_COMPILERS) : []) {
      const command = await installRuntimeTool(tool);
      cells.push(
        createRuntimeTestResult(
          tool.columnHeading,
          "types",
          await checkPublishedTypes(command, packed, join(work, tool.columnHeading)),
        ),
      );
    }
    printRuntimeMatrix(cells, log);
    return cells.filter(({ outcome }) => outcome === "FAILED").length;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Returns the output of a failed test program, or undefined when the test program succeeded. */
async function runPackageTest(
  command: readonly string[],
  { packageFolder: folder, name, program, startServer: start }: PackageRuntimeTest,
  projects: ReadonlyMap<string, InstalledProject>,
): Promise<string | undefined> {
  const project = projects.get(folder)?.folder ?? "";
  const server = await start?.(project);
  try {
    return await runAndCheckTestProgram(command, project, name, program, server);
  } finally {
    await server?.stop();
  }
}

function printRuntimeMatrix(cells: readonly RuntimeTestResult[], log: (line: string) => void): void {
  const columns = [...new Set(cells.map(({ toolName: tool }) => tool))];
  const rows = [...new Set(cells.map(({ testName: row }) => row))];
  const notes = cells.filter(({ outcome }) => outcome !== "ok");
  const textAt = (row: string, tool: string): string => {
    const cell = cells.find((each) => each.testName === row && each.toolName === tool);
    if (cell === undefined) return "";
    return cell.outcome === "ok" ? "ok" : `${cell.outcome} (${notes.indexOf(cell) + 1})`;
  };
  const texts = [["", ...columns]];
  for (const row of rows) texts.push([row, ...columns.map((tool) => textAt(row, tool))]);
  const widths =
    texts[0]?.map((_, column) => Math.max(...texts.map((each) => each[column]?.length ?? 0))) ?? [];
  for (const each of texts) log(each.map((text, column) => text.padEnd(widths[column] ?? 0)).join("  "));
  for (const [index, { toolName: tool, testName: row, failureReason: note }] of notes.entries())
    log(`(${index + 1}) ${row}, ${tool}: ${note}`);
  const failed = cells.filter(({ outcome }) => outcome === "FAILED").length;
  log(`${cells.length - failed} passed, ${failed} failed`);
}
