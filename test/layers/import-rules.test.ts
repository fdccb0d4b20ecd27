import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import {
  isSourceFileTooLong,
  IMPORT_RULES,
  type SourceFile,
  findImportRuleViolations,
} from "./import-rules.ts";

const repositoryFolder = new URL("../..", import.meta.url).pathname;

async function readSourceFiles(): Promise<SourceFile[]> {
  const packages = (await readdir(join(repositoryFolder, "packages"))).map((name) => `packages/${name}/src`);
  const paths = await Promise.all(
    packages.map(async (folder) =>
      (await readdir(join(repositoryFolder, folder), { recursive: true })).map((name) => join(folder, name)),
    ),
  );
  const files = paths.flat().filter((path) => path.endsWith(".ts"));
  return Promise.all(
    files.map(async (path) => ({ path, text: await readFile(join(repositoryFolder, path), "utf8") })),
  );
}

// The table has at least one violation of each rule, and the test checks that the rule reports it.
const deliberateViolations: [rule: string, path: string, text: string][] = [
  [
    "only core/src/network opens sockets",
    "packages/scheme-ftp/src/transfer/retrieve.ts",
    'import { connect } from "node:net";',
  ],
  [
    "only core/src/network opens sockets",
    "packages/scheme-ftp/src/transfer/retrieve.ts",
    'import tls from "tls";',
  ],
  [
    "only core/src/network opens sockets",
    "packages/core/src/client/client.ts",
    'const dns = await import("node:dns/promises");',
  ],
  [
    "only core/src/network opens sockets",
    "packages/cli/src/main.ts",
    'const net = process.getBuiltinModule("net");',
  ],
  ["only core/src/network opens sockets", "packages/cli/src/main.ts", 'const net = require("dgram");'],
  [
    "only core/src/network opens sockets",
    "packages/scheme-http/src/execute-plan.ts",
    "const answer = await fetch(url);",
  ],
  [
    "only core/src/network opens sockets",
    "packages/scheme-http/src/execute-plan.ts",
    'import { type Socket, connect } from "node:net";',
  ],
  [
    "only core/src/network opens sockets",
    "packages/scheme-http/src/execute-plan.ts",
    'import type { Socket } from "node:net";',
  ],
  [
    "only core/src/network opens sockets",
    "packages/gateway/src/http/http-server.ts",
    'import { createServer, request } from "node:http";',
  ],
  [
    "only core/src/network opens sockets",
    "packages/gateway/src/routes.ts",
    'import { createServer, type Server } from "node:http";',
  ],
  [
    "a syntax imports only core's syntax",
    "packages/scheme-ftp/src/syntax.ts",
    'import type { Scheme } from "@anyscheme/core";',
  ],
  [
    "a syntax imports only core's syntax",
    "packages/core/src/syntax/host.ts",
    'import type { x } from "../client/client.ts";',
  ],
  [
    "only scheme-ftp imports basic-ftp, and only the package undici imports undici",
    "packages/core/src/scheme/scheme.ts",
    'import { Client } from "undici";',
  ],
  [
    "only scheme-ftp imports basic-ftp, and only the package undici imports undici",
    "packages/cli/src/x.ts",
    'import { FTPContext } from "basic-ftp";',
  ],
  [
    "tsyringe is imported at run time only by the composition roots",
    "packages/core/src/tsyringe.ts",
    'import { container } from "tsyringe";',
  ],
  [
    "tsyringe is imported at run time only by the composition roots",
    "packages/cli/src/main.ts",
    'import { container } from "tsyringe";',
  ],
  [
    "core imports no other package of this repository, and a scheme package or undici imports only core",
    "packages/core/src/client/client.ts",
    'import { ftp } from "@anyscheme/scheme-ftp";',
  ],
  [
    "core imports no other package of this repository, and a scheme package or undici imports only core",
    "packages/scheme-gopher/src/execute-plan.ts",
    'import type { FtpUrl } from "@anyscheme/scheme-ftp/syntax";',
  ],
  [
    "core imports no other package of this repository, and a scheme package or undici imports only core",
    "packages/scheme-others/src/wais/scheme.ts",
    'import { runCommandLine } from "anyscheme";',
  ],
  [
    "core imports no other package of this repository, and a scheme package or undici imports only core",
    "packages/undici/src/guarded-agent.ts",
    'import { http } from "@anyscheme/scheme-http";',
  ],
  [
    "no package imports another by a relative path",
    "packages/cli/src/main.ts",
    'import { x } from "../../core/src/index.ts";',
  ],
  [
    "network, policy, io and syntax import no module of core/src/client",
    "packages/core/src/network/connect.ts",
    'import type { x } from "../client/client.ts";',
  ],
  [
    "a folder of core imports values only from lower layers",
    "packages/core/src/resources/content.ts",
    'import { x } from "../client/fetch/fetch.ts";',
  ],
  [
    "a folder of core imports values only from lower layers",
    "packages/core/src/io/lines.ts",
    'export { x } from "../network/connect.ts";',
  ],
  ["no junk-drawer names", "packages/core/src/utils.ts", ""],
  ["no file has more than 400 lines", "packages/core/src/long.ts", "\n".repeat(401)],
];

const allowedImports: [path: string, text: string][] = [
  ["packages/scheme-ftp/src/transfer/retrieve.ts", 'import type { Socket } from "@anyscheme/core/plugin";'],
  ["packages/core/src/network/connect.ts", 'import { connect } from "node:net";'],
  ["packages/cli/src/client/dependency-container-client.ts", 'import { container } from "tsyringe";'],
  ["packages/scheme-others/src/file/execute-plan.ts", 'import { x } from "../media.ts";'],
  ["packages/scheme-ftp/src/transfer/retrieve.ts", 'import { exchange } from "@anyscheme/core/io";'],
  ["packages/cli/src/client/scheme-packages.ts", 'import { ftp } from "@anyscheme/scheme-ftp";'],
  ["packages/cli/src/main.ts", 'import type { DependencyContainer } from "tsyringe";'],
  ["packages/core/src/io/credentials-key.ts", 'const { hash } = process.getBuiltinModule("node:crypto");'],
  ["packages/core/src/long.ts", "\n".repeat(400)],
  ["packages/core/src/client/client.ts", "const resource = await client.fetch(url);"],
];

describe("the import rules", () => {
  it("every source file follows the import rules", async () => {
    const files = await readSourceFiles();
    expect(files.length).toBeGreaterThan(40);
    expect(findImportRuleViolations(files)).toEqual([]);
  });

  it.each(deliberateViolations)('the rule "%s" reports a violation in %s', (rule, path, text) => {
    expect(findImportRuleViolations([{ path, text }])).toContain(`${path}: ${rule}`);
  });

  it("each import rule has a test case that violates it", () => {
    expect(new Set(deliberateViolations.map(([rule]) => rule))).toEqual(
      new Set(IMPORT_RULES.map(({ description: says }) => says)),
    );
  });

  it.each(allowedImports)("the import rules accept in the file %s the code %s", (path, text) => {
    expect(findImportRuleViolations([{ path, text }])).toEqual([]);
  });
});

describe("no file of the repository has more than 400 lines", () => {
  // The files that are allowed to have more than 400 lines.
  const known: string[] = [];

  it("no test, benchmark or script has more than 400 lines", async () => {
    const list = ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", "*.js", "*.cjs"];
    const { stdout } = await promisify(execFile)("git", list, { cwd: repositoryFolder, maxBuffer: 2 ** 24 });
    const paths = stdout
      .trim()
      .split("\n")
      .filter((path) => existsSync(join(repositoryFolder, path)));
    expect(paths.length).toBeGreaterThan(400);
    const files = paths.map((path) => ({ path, text: readFileSync(join(repositoryFolder, path), "utf8") }));
    expect(files.filter(isSourceFileTooLong).map(({ path }) => path)).toEqual(known);
  });
});

describe("the configuration of the linter forbids modules that open sockets", () => {
  const modules = ["net", "tls", "dgram", "dns", "dns/promises", "http", "https", "http2"].flatMap((name) => [
    name,
    `node:${name}`,
  ]);

  it("the linter rejects each module that opens sockets, even in a type import", async () => {
    const folder = await mkdtemp(join(tmpdir(), "anyscheme-"));
    try {
      const write = async (name: string, text: string): Promise<void> => {
        const path = join(folder, "packages/scheme-x/src", name);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, text);
      };
      for (const [index, name] of modules.entries()) {
        await write(`bad-${index}.ts`, `import * as way from "${name}";\nexport const out: unknown = way;\n`);
      }
      await write("bad-type.ts", 'import type { Socket } from "node:net";\nexport type Out = Socket;\n');
      await write(
        "good.ts",
        'import type { Socket } from "@anyscheme/core/plugin";\nexport type Out = Socket;\n',
      );
      const oxlint = join(repositoryFolder, "node_modules/.bin/oxlint");
      const run = promisify(execFile)(oxlint, [
        "-c",
        join(repositoryFolder, ".oxlintrc.json"),
        "--format",
        "json",
        folder,
      ]);
      const { stdout } = (await run.catch((error: unknown) => error)) as { stdout: string };
      const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
      const refused = diagnostics.filter(({ code }) => code.includes("no-restricted-imports"));
      expect(new Set(refused.map(({ filename }) => filename.replace(/.*\//, "")))).toEqual(
        new Set([...modules.map((_, index) => `bad-${index}.ts`), "bad-type.ts"]),
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
