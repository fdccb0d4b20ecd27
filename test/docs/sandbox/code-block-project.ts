import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type CodeBlock, REPOSITORY_FOLDER } from "../code-blocks.ts";

/** The packages that the code blocks may import, by name, with their folders in the repository. */
const INSTALLED_PACKAGES: Readonly<Record<string, string>> = {
  anyscheme: "packages/cli",
  "@anyscheme/core": "packages/core",
  "@anyscheme/gateway": "packages/gateway",
  "@anyscheme/scheme-ftp": "packages/scheme-ftp",
  "@anyscheme/scheme-gopher": "packages/scheme-gopher",
  "@anyscheme/scheme-http": "packages/scheme-http",
  "@anyscheme/scheme-others": "packages/scheme-others",
  "@anyscheme/undici": "packages/undici",
  "@abraham/reflection": "node_modules/@abraham/reflection",
  axios: "test/node_modules/axios",
  got: "test/node_modules/got",
  undici: "test/node_modules/undici",
  tsyringe: "node_modules/tsyringe",
  "@types/node": "node_modules/@types/node",
};

const tsconfigContent = {
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

/** A temporary project that contains the code blocks of the documentation, with a subfolder for each page. */
export interface CodeBlockProject {
  readonly folder: string;
  /** The errors of the compiler, each with the position on its page, such as `docs/embedding.md:12`. */
  readonly compilerErrors: readonly string[];
  /** Returns the folder in which the code blocks of a documentation page are executed. */
  pageFolder(page: string): string;
  /** Returns the path of the compiled program of a code block. */
  compiledProgram(block: CodeBlock): string;
}

/** Creates the project, and compiles the code blocks of all pages together. */
export async function createCodeBlockProject(blocks: readonly CodeBlock[]): Promise<CodeBlockProject> {
  const folder = await mkdtemp(join(tmpdir(), "anyscheme-docs-"));
  const folderOf = (page: string): string => join(folder, page.replaceAll("/", "-"));
  const sources = new Map<string, CodeBlock>();
  await writeFileInFolder(join(folder, "package.json"), '{ "type": "module" }');
  await writeFileInFolder(join(folder, "tsconfig.json"), JSON.stringify(tsconfigContent));
  for (const block of blocks) {
    await mkdir(folderOf(block.page), { recursive: true });
    const file = join(folderOf(block.page), blockFileName(block));
    if (block.language === "ts") sources.set(file, block);
    if (block.language === "ts" || block.fileName) await writeFileInFolder(file, block.text);
  }
  for (const [name, path] of Object.entries(INSTALLED_PACKAGES)) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(REPOSITORY_FOLDER + path, link);
  }
  const command = join(folder, "node_modules/.bin/anyscheme");
  await writeFileInFolder(
    command,
    `#!/bin/sh\nexec "${process.execPath}" "${REPOSITORY_FOLDER}packages/cli/bin/anyscheme.cjs" "$@"\n`,
  );
  await chmod(command, 0o755);
  return {
    folder,
    compilerErrors: locateErrorsOnPages(await runCompiler(folder), folder, sources),
    pageFolder: folderOf,
    compiledProgram: (block) => join(folderOf(block.page), blockFileName(block).replace(/\.ts$/, ".js")),
  };
}

function blockFileName({ fileName: file, line }: CodeBlock): string {
  return file ?? `block-${line}.ts`;
}

async function writeFileInFolder(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

function runCompiler(folder: string): Promise<string> {
  const compiler = `${REPOSITORY_FOLDER}node_modules/typescript/bin/tsc`;
  return new Promise((resolve) => {
    const args = [compiler, "-p", folder, "--pretty", "false"];
    execFile(process.execPath, args, { cwd: folder }, (_, out, err) => resolve(out + err));
  });
}

/** Converts errors such as `folder/block-12.ts(3,5): error` to `docs/page.md:14: error`. */
function locateErrorsOnPages(
  output: string,
  folder: string,
  sources: ReadonlyMap<string, CodeBlock>,
): string[] {
  const lines = output.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const [, file = "", at = "", what = ""] = /^(.*?)\((\d+),\d+\): (.*)$/.exec(line) ?? [];
    const block = sources.get(join(folder, file));
    return block ? `${block.page}:${block.line + Number(at) - 1}: ${what}` : line;
  });
}
