import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startScriptedServer } from "@anyscheme/core/testing";
import { build } from "esbuild";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleForBrowser, measureGzipBytes } from "./browser-bundle.ts";
import { countLoadedModules } from "./loaded-modules.ts";
import {
  installInEmptyProject,
  packPublishedPackages,
  type PackedPackage,
  execFileAsync,
} from "./packed-packages.ts";
import { readPublishedPackages, repositoryFolder } from "./published-package-manifests.ts";
import { findTypeProblemsOfPackage } from "./are-the-types-wrong.ts";

const publishedPackages = readPublishedPackages();
const packageFolders = publishedPackages.map(({ folder }) => folder);
const repositoryUrl = "https://github.com/anyscheme/anyscheme";

/** Built-in modules that gopher over TCP does not need. */
const MODULES_NOT_LOADED_AT_START = new Set([
  "child_process",
  "crypto",
  "dgram",
  "dns",
  "http",
  "http2",
  "https",
  "tls",
  "worker_threads",
  "zlib",
]);

let workFolder: string;
let packedPackages: ReadonlyMap<string, PackedPackage>;

beforeAll(async () => {
  workFolder = await mkdtemp(join(tmpdir(), "anyscheme-"));
  packedPackages = await packPublishedPackages(workFolder);
}, 60_000);

afterAll(() => rm(workFolder, { recursive: true }));

interface SourceMap {
  readonly sources: readonly string[];
  /** The text of the sources, if the source map contains the text. */
  readonly sourcesContent?: readonly string[];
}

interface SectionedSourceMap {
  readonly sections: readonly { readonly map: SourceMap }[];
}

function readArchive(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  return readFile(packedPackages.get(folder)?.archivePath ?? "");
}

/** Returns the package.json in a package's archive, which a registry reads. */
async function readPackedManifest(folder: string): Promise<Record<string, unknown>> {
  const { stdout } = await execFileAsync("tar", [
    "-xOf",
    packedPackages.get(folder)?.archivePath ?? "",
    "package/package.json",
  ]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe("each package", () => {
  it.each(packageFolders)(
    "the package %s contains its build, sources, licence and README, and no test",
    (folder) => {
      const paths = packedPackages.get(folder)?.filePaths ?? [];
      expect(paths).toEqual(expect.arrayContaining(["package.json", "README.md", "LICENSE"]));
      expect(paths.filter((path) => path.startsWith("dist/")).length).toBeGreaterThan(4);
      expect(paths.filter((path) => path.startsWith("src/")).length).toBeGreaterThan(4);
      expect(paths.filter((path) => /tsbuildinfo|tsconfig|\.test\.|^test\/|^api\./.test(path))).toEqual([]);
    },
  );

  it.each(publishedPackages)("every export of $folder names an existing file", ({ folder, manifest }) => {
    const targets = Object.values(manifest.exports).flatMap((target) =>
      typeof target === "string" ? [target] : Object.values(target as object),
    ) as string[];
    const paths = new Set(packedPackages.get(folder)?.filePaths.map((path) => `./${path}`));
    expect(targets.filter((target) => !paths.has(target))).toEqual([]);
  });

  it.each(packageFolders)("every source map of %s names existing sources", async (folder) => {
    const { archivePath: filename, filePaths: paths } = packedPackages.get(folder) ?? {
      archivePath: "",
      filePaths: [],
    };
    const unpacked = join(workFolder, "unpacked", folder);
    await mkdir(unpacked, { recursive: true });
    await execFileAsync("tar", ["-xzf", filename, "-C", unpacked, "--strip-components=1"]);
    const missing = paths
      .filter((path) => path.endsWith(".map"))
      .flatMap((path) => {
        const whole = JSON.parse(readFileSync(join(unpacked, path), "utf8")) as
          SourceMap | SectionedSourceMap;
        const maps = "sections" in whole ? whole.sections.map(({ map }) => map) : [whole];
        return maps
          .filter(({ sourcesContent }) => !sourcesContent)
          .flatMap(({ sources }) => sources.map((source) => join(dirname(path), source)));
      })
      .filter((source) => !paths.includes(source));
    expect(paths.some((path) => path.endsWith(".d.ts.map"))).toBe(true);
    expect(missing).toEqual([]);
  });

  it.each(publishedPackages)(
    "the manifest of $folder has a description, a licence and a repository",
    async ({ folder, manifest: { name } }) => {
      const manifest = await readPackedManifest(folder);
      expect(manifest).toMatchObject({
        name,
        type: "module",
        license: "MIT",
        sideEffects: false,
        engines: { node: ">=22.19" },
        homepage: `${repositoryUrl}/tree/main/packages/${folder}#readme`,
        bugs: `${repositoryUrl}/issues`,
        repository: { type: "git", url: `git+${repositoryUrl}.git`, directory: `packages/${folder}` },
        publishConfig: { access: "public" },
      });
      expect(manifest["files"]).toEqual(expect.arrayContaining(["dist", "!dist/**/.*tsbuildinfo", "src"]));
      expect(String(manifest["description"]).length).toBeGreaterThan(20);
      expect((manifest["keywords"] as unknown[]).length).toBeGreaterThan(4);
      expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:|devDependencies|"scripts"/);
    },
  );
});

describe("the dependencies of the packages", () => {
  it.each(publishedPackages)("$folder depends on ranges of versions, except undici", async ({ folder }) => {
    const { dependencies = {} } = await readPackedManifest(folder);
    const { undici, ...others } = dependencies as Record<string, string>;
    expect(Object.entries(others).filter(([, range]) => !range.startsWith("^"))).toEqual([]);
    if (undici === undefined) return;
    expect(undici).toMatch(/^\d+\.\d+\.\d+$/);
    for (const page of ["packages/undici/README.md", "docs/guard-under-fetch.md"])
      expect(readFileSync(join(repositoryFolder, page), "utf8")).toContain(
        `npm install @anyscheme/core @anyscheme/undici undici@${undici}\n`,
      );
  });
});

describe("publint in strict mode", () => {
  it.each(packageFolders)("publint reports no problem in %s", async (folder) => {
    const tarball = (await readArchive(folder)).slice().buffer;
    const { messages } = await publint({ strict: true, pack: { tarball } });
    expect(messages).toEqual([]);
  });

  it("publint reports the problem of a faulty package", async () => {
    const pkgDir = join(workFolder, "wrong");
    await mkdir(pkgDir);
    await writeFile(
      join(pkgDir, "package.json"),
      '{ "name": "wrong", "version": "1.0.0", "exports": "./missing.js" }',
    );
    const { messages } = await publint({ pkgDir, strict: true, pack: false });
    expect(messages.map(({ code }) => code)).toContain("FILE_DOES_NOT_EXIST");
  });
});

describe("the types of the packages for ES modules", () => {
  it.each(packageFolders)("the types of %s have no problem", async (folder) => {
    expect(await findTypeProblemsOfPackage(await readArchive(folder))).toEqual([]);
  });

  it.each([
    { problem: "FalseCJS", types: "index.d.cts", text: "export declare const a: 1;\n" },
    { problem: "InternalResolutionError", types: "index.d.ts", text: 'export * from "./gone";\n' },
    { problem: "NoTypes", types: "index.txt", text: "" },
  ])("the check of types reports the problem $problem", async ({ problem, types, text }) => {
    const folder = join(workFolder, problem, "package");
    await mkdir(folder, { recursive: true });
    const exports = { types: `./${types}`, default: "./index.js" };
    const manifest = { name: "wrong", version: "1.0.0", type: "module", exports: { ".": exports } };
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
    await writeFile(join(folder, "index.js"), "export const a = 1;\n");
    await writeFile(join(folder, types), text);
    await execFileAsync("tar", ["-czf", "wrong.tgz", "package"], { cwd: join(workFolder, problem) });
    const problems = await findTypeProblemsOfPackage(await readFile(join(workFolder, problem, "wrong.tgz")));
    expect(problems.join("\n")).toContain(problem);
  });
});

describe("core and scheme-gopher without other packages", () => {
  let project: string;

  beforeAll(async () => {
    project = join(workFolder, "gopher");
    const archives = ["core", "scheme-gopher"].map(
      (folder) => packedPackages.get(folder)?.archivePath ?? folder,
    );
    await installInEmptyProject(project, archives);
  });

  it("core and scheme-gopher install no other package", async () => {
    expect(await readdir(join(project, "node_modules/@anyscheme"))).toEqual(["core", "scheme-gopher"]);
    const installed = (await readdir(join(project, "node_modules"))).filter((name) => !name.startsWith("."));
    expect(installed).toEqual(["@anyscheme"]);
  });

  it("core and scheme-gopher have at most 792 KiB without sources and source maps", async () => {
    const paths = await readdir(join(project, "node_modules"), { recursive: true });
    const counted = paths.filter((path) => !/\/src\/|\.map$|^\./.test(path));
    const stats = await Promise.all(counted.map((path) => stat(join(project, "node_modules", path))));
    const bytes = stats.reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0);
    expect(bytes).toBeGreaterThan(200 * 1024);
    expect(bytes).toBeLessThanOrEqual(792 * 1024);
  });

  // The shared chunk of the entry points also contains the kinds of options, which a bundler cannot split off: 609
  // bytes.
  it("the published core/syntax is at most 700 bytes larger in a browser than its sources", async () => {
    const entry = join(project, "syntax.js");
    await writeFile(entry, 'export * from "@anyscheme/core/syntax";');
    const published = await build({
      entryPoints: [entry],
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
    });
    const fromSources = await bundleForBrowser('export * from "@anyscheme/core/syntax";', "module");
    const [more, bytes] = [published.outputFiles[0]?.text ?? "", fromSources].map(measureGzipBytes);
    expect(more).toBeLessThanOrEqual((bytes ?? 0) + 700);
  });

  it.each([
    { names: ["@anyscheme/core/syntax"], files: 2, bytes: 60_500 },
    { names: ["@anyscheme/core"], files: 5, bytes: 272_500 },
    { names: ["@anyscheme/core", "@anyscheme/scheme-gopher"], files: 10, bytes: 311_000 },
  ])("an import of $names loads at most $files files", async ({ names, files, bytes }) => {
    const loading = await countLoadedModules(project, names);
    expect(loading.files).toBeGreaterThan(0);
    expect(loading.files).toBeLessThanOrEqual(files);
    expect(loading.bytes).toBeLessThanOrEqual(bytes);
    expect(loading.builtins.filter((name) => MODULES_NOT_LOADED_AT_START.has(name))).toEqual([]);
    if (names[0]?.endsWith("/syntax")) expect(loading.builtins).toEqual([]);
  });

  it("the check of loaded modules finds lazily loaded modules", async () => {
    const { builtins } = await countLoadedModules(project, ["node:tls", "node:http", "node:dgram"]);
    expect(builtins).toEqual(expect.arrayContaining(["tls", "http", "dgram"]));
  });

  it("core and scheme-gopher dereference a Gopher URL", async () => {
    await using server = await startScriptedServer(async (peer) => {
      expect(await peer.readLine()).toBe("/greeting");
      peer.send("hello from a hole\r\n.\r\n");
    });
    const program = `
      import { createClient, anyAddress } from "@anyscheme/core";
      import { gopher } from "@anyscheme/scheme-gopher";
      import { gopherSyntax } from "@anyscheme/scheme-gopher/syntax";
      import "@anyscheme/scheme-gopher/tsyringe";
      const client = createClient({ schemes: [gopher()], policy: anyAddress({ allowPorts: { gopher: [${server.port}] } }) });
      const found = await client.dereference("gopher://127.0.0.1:${server.port}/0/greeting");
      process.stdout.write(gopherSyntax.parse(found.url.href).selector + ": " + (await found.text()));
      const refused = await client.dereference("ftp://127.0.0.1/").catch((error) => error);
      process.stdout.write(refused.code + ": " + refused.advice + "\\n");`;
    await writeFile(join(project, "program.js"), program);
    const { stdout } = await execFileAsync(process.execPath, ["program.js"], { cwd: project });
    expect(stdout).toMatch(/^\/greeting: hello from a hole\r?\n/);
    expect(stdout).toContain("unknown-scheme: registered: gopher; install @anyscheme/scheme-ftp");
  });
});

describe("the command in a folder of its own, as an installation with npm install -g", () => {
  let installedFolder: string;

  beforeAll(async () => {
    installedFolder = join(workFolder, "lib/node_modules");
    for (const { folder, manifest } of publishedPackages) {
      const target = join(installedFolder, manifest.name);
      await mkdir(target, { recursive: true });
      const archive = packedPackages.get(folder)?.archivePath ?? "";
      await execFileAsync("tar", ["-xzf", archive, "-C", target, "--strip-components=1"]);
    }
  });

  it("--scheme loads a module from a folder without packages, and an error of the module has its own code", async () => {
    const folder = join(workFolder, "my schemes");
    await mkdir(folder);
    const example = await readFile(`${repositoryFolder}examples/src/x-finger.ts`, "utf8");
    await writeFile(join(folder, "x-finger.ts"), `${example}\nexport default xFinger;\n`);
    const command = join(installedFolder, "anyscheme/bin/anyscheme.cjs");
    const plan = (url: string): Promise<{ stdout: string }> =>
      execFileAsync(process.execPath, [command, "plan", "--scheme", "x-finger.ts", url], { cwd: folder });
    expect((await plan("x-finger://h.example/bob")).stdout).toContain('the query for "bob"');
    await expect(plan("x-finger://h.example/a%0Ab")).rejects.toMatchObject({
      code: 3,
      stderr: expect.stringContaining("refused-characters"),
    });
  });
});
