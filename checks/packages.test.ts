import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startScriptedServer } from "@anyscheme/core/testing";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const root = new URL("../", import.meta.url).pathname;
const folders = ["core", "scheme-ftp", "scheme-http", "scheme-gopher", "scheme-others", "cli"];

interface Packed {
  readonly filename: string;
  /** What the archive holds. */
  readonly paths: readonly string[];
}

let work: string;
const packed = new Map<string, Packed>();

/** The pnpm that runs this, or the one that the repository names. */
function pnpm(args: readonly string[], cwd: string): Promise<{ stdout: string }> {
  const { npm_execpath: script } = process.env;
  return script?.includes("pnpm")
    ? run(process.execPath, [script, ...args], { cwd })
    : run("npx", ["--yes", "pnpm@10.34.9", ...args], { cwd });
}

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), "anyscheme-"));
  await access(join(root, "packages/core/dist/index.js")).catch(() => {
    throw new Error("there is no build to pack: run `pnpm build` first");
  });
  for (const folder of folders) {
    const { stdout } = await pnpm(
      ["pack", "--json", "--pack-destination", work],
      join(root, "packages", folder),
    );
    const { filename } = JSON.parse(stdout) as Packed;
    const listed = await run("tar", ["-tzf", filename]);
    const paths = listed.stdout.trim().split("\n");
    packed.set(folder, { filename, paths: paths.map((path) => path.replace(/^package\//, "")) });
  }
}, 60_000);

afterAll(() => rm(work, { recursive: true }));

function toArrayBuffer(octets: Uint8Array): ArrayBuffer {
  return new Uint8Array(octets).buffer;
}

/** Installs packed packages into an empty project; what they ask for beyond each other would have to come from a registry. */
async function emptyProjectWith(name: string, ...tarballs: readonly string[]): Promise<string> {
  const project = join(work, name);
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{ "name": "empty", "private": true, "type": "module" }');
  const files = tarballs.map((folder) => packed.get(folder)?.filename ?? folder);
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", ...files], { cwd: project });
  return project;
}

describe("each package", () => {
  it.each(folders)("%s holds its build, its sources, its licence and its page, and no test", (folder) => {
    const paths = packed.get(folder)?.paths ?? [];
    expect(paths).toEqual(expect.arrayContaining(["package.json", "README.md", "LICENSE"]));
    expect(paths.filter((path) => /^(?:dist|src)\//.test(path)).length).toBeGreaterThan(4);
    expect(paths.filter((path) => /tsbuildinfo|\.test\.|^test\//.test(path))).toEqual([]);
  });

  it.each(folders)("%s has a file behind every export", async (folder) => {
    const manifest = JSON.parse(await readFile(join(root, "packages", folder, "package.json"), "utf8")) as {
      exports: Record<string, string | Record<string, string>>;
    };
    const targets = Object.values(manifest.exports).flatMap((target) =>
      typeof target === "string" ? [target] : Object.values(target),
    );
    const paths = new Set(packed.get(folder)?.paths.map((path) => `./${path}`));
    expect(targets.filter((target) => !paths.has(target))).toEqual([]);
  });
});

describe("publint, at its strictest,", () => {
  it.each(folders)("has nothing to say about %s", async (folder) => {
    const tarball = await readFile(packed.get(folder)?.filename ?? "");
    const { messages } = await publint({ strict: true, pack: { tarball: toArrayBuffer(tarball) } });
    expect(messages).toEqual([]);
  });

  it("sees what is wrong with a package", async () => {
    const pkgDir = join(work, "wrong");
    await mkdir(pkgDir);
    await writeFile(
      join(pkgDir, "package.json"),
      '{ "name": "wrong", "version": "1.0.0", "exports": "./missing.js" }',
    );
    const { messages } = await publint({ pkgDir, strict: true, pack: false });
    expect(messages.map(({ code }) => code)).toContain("FILE_DOES_NOT_EXIST");
  });
});

describe("core and scheme-gopher alone", () => {
  it("bring nothing else, and dereference a gopher URL", async () => {
    await using server = await startScriptedServer(async (peer) => {
      expect(await peer.line()).toBe("/greeting");
      peer.send("hello from a hole\r\n.\r\n");
    });
    const project = await emptyProjectWith("gopher", "core", "scheme-gopher");
    expect(await readdir(join(project, "node_modules/@anyscheme"))).toEqual(["core", "scheme-gopher"]);
    const installed = (await readdir(join(project, "node_modules"))).filter((name) => !name.startsWith("."));
    expect(installed).toEqual(["@anyscheme"]);
    const program = `
      import { createClient, trusted } from "@anyscheme/core";
      import { gopher } from "@anyscheme/scheme-gopher";
      import { gopherSyntax } from "@anyscheme/scheme-gopher/syntax";
      import "@anyscheme/scheme-gopher/register";
      const client = createClient({ schemes: [gopher()], policy: trusted({ allowPorts: { gopher: [${server.port}] } }) });
      const found = await client.dereference("gopher://127.0.0.1:${server.port}/0/greeting");
      process.stdout.write(gopherSyntax.parse(found.url.href).selector + ": " + (await found.text()));
      const refused = await client.dereference("ftp://127.0.0.1/").catch((error) => error);
      process.stdout.write(refused.code + ": " + refused.advice + "\\n");`;
    await writeFile(join(project, "program.js"), program);
    const { stdout } = await run(process.execPath, ["program.js"], { cwd: project });
    expect(stdout).toMatch(/^\/greeting: hello from a hole\r?\n/);
    expect(stdout).toContain("unknown-scheme: registered: gopher; install @anyscheme/scheme-ftp");
  });
});
