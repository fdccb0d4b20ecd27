import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execFileAsync } from "../../test/packaging/packed-packages.ts";
import { repositoryFolder } from "../../test/packaging/published-package-manifests.ts";

/** A runtime that runs a test program, or a compiler that checks its types. */
export interface RuntimeOrCompiler {
  /** The heading of the tool's column in the matrix. */
  readonly columnHeading: string;
  /** The npm package that contains the tool. */
  readonly npmSpec: string;
  /** Returns the command of the tool, with the arguments that precede the program's path. */
  readonly command: (folder: string) => readonly string[];
}

const createNodeTool = (version: string): RuntimeOrCompiler => ({
  columnHeading: `node ${version.split(".")[0]}`,
  npmSpec: `node@${version}`,
  command: (folder) => [join(folder, "node_modules/node/bin/node")],
});

/** The supported major versions of Node.js, and other runtimes that run modules of Node.js. */
export const RUNTIMES: readonly RuntimeOrCompiler[] = [
  createNodeTool("22.23.3"),
  createNodeTool("24.21.0"),
  createNodeTool("26.10.0"),
  {
    columnHeading: "bun",
    npmSpec: "bun@1.4.5",
    command: (folder) => [join(folder, "node_modules/.bin/bun"), "run", "--no-install"],
  },
  {
    columnHeading: "deno",
    npmSpec: "deno@2.9.6",
    command: (folder) => [join(folder, "node_modules/.bin/deno"), "run", "--quiet", "--allow-all"],
  },
];

const createTypescriptTool = (version: string): RuntimeOrCompiler => ({
  columnHeading: `typescript ${version.split(".").slice(0, 2).join(".")}`,
  npmSpec: `typescript@${version}`,
  command: (folder) => [join(folder, "node_modules/.bin/tsc")],
});

export const TYPESCRIPT_COMPILERS: readonly RuntimeOrCompiler[] = ["5.4.5", "5.9.3", "6.0.3", "7.0.2"].map(
  createTypescriptTool,
);

/** Installs a tool in a folder that later runs reuse. Returns its command. */
export async function installRuntimeTool({
  npmSpec: spec,
  command,
}: RuntimeOrCompiler): Promise<readonly string[]> {
  const folder = join(repositoryFolder, ".runtimes", spec);
  if (!existsSync(join(folder, "complete"))) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "package.json"), '{ "private": true }');
    await execFileAsync("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", spec], {
      cwd: folder,
    });
    await writeFile(join(folder, "complete"), "");
  }
  return command(folder);
}
