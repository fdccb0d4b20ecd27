import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type CommandProcessOptions,
  type CommandProcessResult,
  runBuiltCommand,
} from "./run-built-command.ts";
import { createTemporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { type TestServers, startTestServers } from "./test-servers.ts";

const toPackagePath = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const schemeModule = join(createTemporaryFolder(), "x-finger.mjs");
writeFileSync(
  schemeModule,
  `export { xFinger as default } from ${JSON.stringify(import.meta.resolve("../../../examples/dist/x-finger.js"))};`,
);
const bundledCommand: CommandProcessOptions = { commandFile: toPackagePath("bin/anyscheme.cjs") };

let testServers: TestServers;
beforeAll(async () => {
  await promisify(execFile)(process.execPath, [toPackagePath("bundle.js")]);
  testServers = await startTestServers();
});

describe("the bundled command", () => {
  it.each([
    ["--version"],
    ["--help"],
    ["--help", "man"],
    ["schemes"],
    ["completion", "bash"],
    ["parse", "--json", "ftp://joe:x@h/a;type=i"],
    ["plan", "gopher://h/0/a"],
    ["plan", "wais://h/d?s"],
    ["get", "mailto:a@b.example"],
    ["get", "x-none:a"],
    ["plan", "--scheme", schemeModule, "x-finger://h/a"],
    ["plan", "--scheme", schemeModule, "x-finger://h/a%0Ab"],
    ["plan", "--scheme", "missing.ts", "x-finger://h/a"],
    ["get", "ftp://joe:x@h/a b"],
    ["frob"],
  ])(
    "the bundled command has the same output as the unbundled build for the arguments %s %s",
    async (...args) => {
      expect(await runBuiltCommand(args, bundledCommand)).toEqual(await runBuiltCommand(args));
    },
  );

  it("the bundled command downloads a file by FTP, HTTP and Gopher", async () => {
    const { ftp, gopher, http } = testServers;
    const urls = [
      `ftp://127.0.0.1:${ftp.port}/hello.txt`,
      `http://127.0.0.1:${http.port}/hello.txt`,
      `gopher://127.0.0.1:${gopher.port}/0/hello.txt`,
    ];
    const { exitCode, stdout } = await runBuiltCommand(
      ["get", "--allow-port", `gopher:${gopher.port}`, ...urls],
      bundledCommand,
    );
    expect({ exitCode, lines: stdout.split(/\r?\n/) }).toEqual({
      exitCode: 0,
      lines: ["Hello, world", "Hello, world", "Hello, world", ""],
    });
  });

  it.each<[string, string[], RegExp]>([
    ["--version", ["--version"], /^(?:tls|crypto|fs\/promises)$/],
    ["parse", ["parse", "ftp://h/a"], /^(?:tls|crypto|dgram|dns\/promises|http)$/],
    ["get of gopher", ["get", "GOPHER"], /^(?:tls|crypto|dgram|dns\/promises|http|zlib)$/],
    ["get of ftp", ["get", "FTP"], /^(?:dgram|dns\/promises|http|zlib)$/],
    ["get of http", ["get", "HTTP"], /^(?:tls|crypto|dgram|dns\/promises|http|zlib)$/],
  ])("the bundled command loads one file for %s, and no unused module of Node", async (_, args, unused) => {
    const { ftp, gopher, http } = testServers;
    const filled = args.flatMap((arg) => {
      if (arg === "HTTP") return `http://127.0.0.1:${http.port}/hello.txt`;
      if (arg === "FTP") return `ftp://127.0.0.1:${ftp.port}/hello.txt`;
      if (arg !== "GOPHER") return arg;
      return ["--allow-port", `gopher:${gopher.port}`, `gopher://127.0.0.1:${gopher.port}/0/hello.txt`];
    });
    const script = `process.argv.splice(1, 0, "anyscheme"); process.on("exit", () => {
      console.error(JSON.stringify([process.moduleLoadList, Object.keys(require.cache)]));
    }); require(${JSON.stringify(toPackagePath("bin/anyscheme.cjs"))});`;
    const { stderr } = await promisify(execFile)(process.execPath, ["-e", script, "--", ...filled]);
    const [builtins, loaded] = JSON.parse(stderr) as [string[], string[]];
    const names = builtins.map((name) => name.replace(/^NativeModule /, ""));
    expect(names.filter((name) => unused.test(name))).toEqual([]);
    expect(loaded.filter((file) => file.includes("/dist/"))).toHaveLength(1);
  });

  it("the bundled command writes the compile cache, and also starts without a cache", async () => {
    const folder = createTemporaryFolder();
    const runWith = (cache: string): Promise<CommandProcessResult> =>
      runBuiltCommand(["--version"], { ...bundledCommand, env: { XDG_CACHE_HOME: cache } });
    const first = await runWith(folder);
    expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^anyscheme \d/), stderr: "" });
    expect(readdirSync(folder)).toEqual(["anyscheme"]);
    // The path of the cache folder is below a file, so the folder cannot be created.
    writeFileSync(join(folder, "file"), "");
    expect(await runWith(join(folder, "file"))).toEqual(first);
  });

  it("the bundle contains every package once, and its source map names the sources", () => {
    const { sources } = JSON.parse(readFileSync(toPackagePath("dist/anyscheme.cjs.map"), "utf8")) as {
      sources: string[];
    };
    expect(sources.some((source) => source.endsWith("core/src/client/client.ts"))).toBe(true);
    expect(sources.filter((source, index) => sources.indexOf(source) !== index)).toEqual([]);
    const text = readFileSync(toPackagePath("dist/anyscheme.cjs"), "utf8");
    expect(text).not.toMatch(/(?:from|import\(|require\()\s*"@anyscheme\//);
    expect(readFileSync(toPackagePath("dist/licences/basic-ftp.txt"), "utf8")).toContain(
      "Permission is hereby granted",
    );
  });
});
