import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Block, root } from "../code-blocks.ts";

/** The installed packages: name → folder below the root. */
const installed: Readonly<Record<string, string>> = {
  anyscheme: "packages/cli",
  "@anyscheme/core": "packages/core",
  "@anyscheme/gateway": "packages/gateway",
  "@anyscheme/scheme-ftp": "packages/scheme-ftp",
  "@anyscheme/scheme-gopher": "packages/scheme-gopher",
  "@anyscheme/scheme-http": "packages/scheme-http",
  "@anyscheme/scheme-others": "packages/scheme-others",
  "@abraham/reflection": "node_modules/@abraham/reflection",
  tsyringe: "node_modules/tsyringe",
  "@types/node": "node_modules/@types/node",
};

const tsconfig = {
  compilerOptions: {
    target: "ES2023",
    lib: ["ES2023", "ESNext.Disposable"],
    module: "NodeNext",
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    rewriteRelativeImportExtensions: true,
    rootDir: ".",
    outDir: ".",
  },
  include: ["**/*.ts"],
  exclude: ["node_modules"],
};

/** A reader's project in its own folder, with a subfolder for the blocks of each page. */
export interface Project {
  readonly folder: string;
  /** The errors of the compiler, by position: `docs/embedding.md:12`. */
  readonly complaints: readonly string[];
  /** The folder in which the programs of a page run. */
  folderOf(page: string): string;
  /** Returns the compiled program of a block. */
  programOf(block: Block): string;
}

/** Creates the project and compiles all blocks in one run. */
export async function layOut(blocks: readonly Block[]): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), "anyscheme-docs-"));
  const folderOf = (page: string): string => join(folder, page.replaceAll("/", "-"));
  const sources = new Map<string, Block>();
  await write(join(folder, "package.json"), '{ "type": "module" }');
  await write(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  for (const block of blocks) {
    await mkdir(folderOf(block.page), { recursive: true });
    const file = join(folderOf(block.page), nameOf(block));
    if (block.language === "ts") sources.set(file, block);
    if (block.language === "ts" || block.file) await write(file, block.text);
  }
  for (const [name, path] of Object.entries(installed)) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(root + path, link);
  }
  const command = join(folder, "node_modules/.bin/anyscheme");
  await write(
    command,
    `#!/bin/sh\nexec "${process.execPath}" "${root}packages/cli/bin/anyscheme.cjs" "$@"\n`,
  );
  await chmod(command, 0o755);
  return {
    folder,
    complaints: complaintsOf(await compile(folder), folder, sources),
    folderOf,
    programOf: (block) => join(folderOf(block.page), nameOf(block).replace(/\.ts$/, ".js")),
  };
}

function nameOf({ file, line }: Block): string {
  return file ?? `block-${line}.ts`;
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

function compile(folder: string): Promise<string> {
  const compiler = `${root}node_modules/typescript/bin/tsc`;
  return new Promise((resolve) => {
    const args = [compiler, "-p", folder, "--pretty", "false"];
    execFile(process.execPath, args, { cwd: folder }, (_, out, err) => resolve(out + err));
  });
}

/** Turns `folder/block-12.ts(3,5): error` into `docs/page.md:14: error`. */
function complaintsOf(output: string, folder: string, sources: ReadonlyMap<string, Block>): string[] {
  const lines = output.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const [, file = "", at = "", what = ""] = /^(.*?)\((\d+),\d+\): (.*)$/.exec(line) ?? [];
    const block = sources.get(join(folder, file));
    return block ? `${block.page}:${block.line + Number(at) - 1}: ${what}` : line;
  });
}
