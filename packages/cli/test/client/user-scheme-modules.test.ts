import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { startBuiltCommand, type CommandProcessResult, runBuiltCommand } from "../run-built-command.ts";

const exampleUrl = new URL("../../../../examples/src/x-finger.ts", import.meta.url);
const exampleModule = `${readFileSync(exampleUrl, "utf8")}\nexport default xFinger;\n`;
const redirectHosts = new URL("../../../../test/docs/sandbox/redirect-hosts.js", import.meta.url).href;

/** Creates a folder outside the repository, in which no package is installed, with modules by their file names. */
function createModuleFolder(modules: Readonly<Record<string, string>> = {}): string {
  const folder = createTemporaryFolder();
  for (const [name, text] of Object.entries({ "x-finger.ts": exampleModule, ...modules }))
    writeFileSync(join(folder, name), text);
  return folder;
}

function run(
  args: readonly string[],
  cwd: string = createModuleFolder(),
  env?: NodeJS.ProcessEnv,
): Promise<CommandProcessResult> {
  return runBuiltCommand(args, { cwd, ...(env && { env }) });
}

describe("--scheme adds the schemes of a module to every command that knows schemes", () => {
  it("get, ls and --proto-default support the scheme of a module", async () => {
    await using server = await startScriptedServer(async (peer) => {
      peer.send(`Login: ${await peer.readLine()}\r\n`);
    });
    const url = `x-finger://127.0.0.1:${server.port}/bob`;
    const options = ["--scheme", "x-finger.ts", "--allow-port", `x-finger:${server.port}`];
    expect(await run(["get", ...options, url])).toEqual({
      exitCode: 0,
      signal: null,
      stdout: "Login: bob\r\n",
      stderr: "",
    });
    expect((await run(["ls", ...options, url])).stdout).toMatch(/^file +- +- +bob$/m);
    const guessed = ["get", ...options, "--proto-default", "x-finger", `127.0.0.1:${server.port}/al%20ice`];
    expect(await run(guessed)).toMatchObject({ exitCode: 0, stdout: "Login: al ice\r\n" });
  });

  it.each([
    ["plan", ["x-finger://h.example/bob"], /^3 {2}send +RFC 1288 §2\.3 +the query for "bob"$/m],
    ["parse", ["x-finger://h.example/bob"], /^port +79 \(default\)$/m],
    ["schemes", [], /^x-finger {5}79 {2}x-finger\.ts$/m],
    ["schemes", ["--json"], /^\{"scheme":"x-finger","defaultPort":79,"module":"x-finger\.ts"\}$/m],
    ["extract", ["mail.txt"], /^x-finger:\/\/h\.example\/~bob$/m],
    ["lint", ["mail.txt"], /^mail\.txt:1:26: unsafe: .*write "%7E"$/m],
  ])(
    "the command %s with the operands %j supports the scheme of a module",
    async (command, operands, line) => {
      const folder = createModuleFolder({ "mail.txt": "See x-finger://h.example/~bob.\n" });
      const { stdout, stderr } = await run([command, "--scheme", "x-finger.ts", ...operands], folder);
      expect(stdout).toMatch(line);
      expect(stderr).toBe("");
    },
  );

  it("open and form support the scheme of a module, and open reports that the resource is no service", async () => {
    const options = ["--scheme", "x-finger.ts", "x-finger://h.example/bob"];
    expect((await run(["open", ...options])).stderr).toContain("the URL is a file or directory");
    expect((await run(["form", ...options])).stderr).not.toContain("unknown-scheme");
  });

  it("the command reports an error of a scheme from --scheme with the error code and the exit code for this error code", async () => {
    const { exitCode, stderr } = await run(["plan", "--scheme", "x-finger.ts", "x-finger://h/a%0Ab"]);
    expect({ exitCode, message: stderr.split(":")[1] }).toEqual({
      exitCode: 3,
      message: " refused-characters",
    });
  });

  it("anyscheme gateway serves the scheme of a module", async () => {
    await using server = await startScriptedServer(async (peer) => {
      peer.send(`Login: ${await peer.readLine()}\r\n`);
    });
    const command = startBuiltCommand(["gateway", "--port", "0", "--scheme", "x-finger.ts"], {
      cwd: createModuleFolder(),
      // Connections to port 79 of public.example lead to the scripted server.
      env: { NODE_OPTIONS: `--import ${redirectHosts}`, STAGE_PORTS: JSON.stringify({ 79: server.port }) },
    });
    const [chunk] = (await once(command.stderr, "data")) as [Buffer];
    const [, names = "", origin = ""] = /^serving (.*) at (\S+)/.exec(String(chunk)) ?? [];
    expect(names.split(", ")).toContain("x-finger");
    const response = await fetch(`${origin}~raw/x-finger/public.example/bob`);
    expect({ status: response.status, text: await response.text() }).toEqual({
      status: 200,
      text: "Login: bob\r\n",
    });
    command.kill("SIGINT");
    await command.ended;
  });
});

describe("a module of schemes", () => {
  const echoScheme = (name: string): string =>
    `{ name: "${name}", syntax: createGenericSyntax({ schemes: ["${name.toLowerCase()}"] }), plan: (url) => createPlan(url, []), access: async () => { throw new AccessError("unsupported", "no access to ${name}"); } }`;
  const imports =
    'import { AccessError } from "@anyscheme/core";\nimport { createPlan } from "@anyscheme/core/plugin";\nimport { createGenericSyntax } from "@anyscheme/core/syntax";\n';

  it.each([
    ["a scheme", `export default ${echoScheme("x-a")};`, ["x-a"]],
    ["an array", `export default [${echoScheme("x-a")}, ${echoScheme("X-B")}];`, ["x-a", "x-b"]],
    ["a function that returns a scheme", `export default () => (${echoScheme("x-a")});`, ["x-a"]],
    [
      "an async function that returns an array",
      `export default async () => [${echoScheme("x-a")}];`,
      ["x-a"],
    ],
  ])("a scheme module may export %s", async (_, text, names) => {
    const folder = createModuleFolder({ "own.mjs": imports + text });
    const { stdout, stderr } = await run(["schemes", "--scheme", "own.mjs"], folder);
    expect(stderr).toBe("");
    expect(stdout.match(/^\S+(?=.*own\.mjs$)/gm)).toEqual(names);
  });

  it("a scheme module shares the classes of @anyscheme/core with the command, also beside another copy of the package", async () => {
    const folder = createModuleFolder({ "own.mjs": `${imports}export default ${echoScheme("x-a")};` });
    const copy = join(folder, "node_modules/@anyscheme/core");
    mkdirSync(copy, { recursive: true });
    writeFileSync(join(copy, "package.json"), '{ "name": "@anyscheme/core", "exports": "./index.js" }');
    writeFileSync(join(copy, "index.js"), "throw new Error('another copy');");
    expect(await run(["get", "--scheme", "own.mjs", "x-a:1/x"], folder)).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining("unsupported: no access to x-a: x-a:1/x"),
    });
  });

  it("a scheme module may be named several times, and in the configuration file, relative to that file", async () => {
    const folder = createModuleFolder();
    mkdirSync(join(folder, "anyscheme", "my schemes"), { recursive: true });
    writeFileSync(
      join(folder, "anyscheme", "my schemes", "a.mjs"),
      `${imports}export default ${echoScheme("x-a")}`,
    );
    writeFileSync(join(folder, "anyscheme", "config.json"), '{ "schemes": ["my schemes/a.mjs"] }');
    const env = { XDG_CONFIG_HOME: folder };
    const { stdout } = await run(["schemes"], folder, env);
    expect(stdout).toMatch(/^x-a +- {2}my schemes\/a\.mjs$/m);
    const own = ["--scheme", "x-finger.ts", "--scheme", "./x-finger.ts"];
    const both = await run(["schemes", ...own, "--scheme", "anyscheme/my schemes/a.mjs"], folder, env);
    expect(both.stderr).toBe("");
    expect(both.stdout.match(/^x-\S+/gm)).toEqual(["x-a", "x-finger"]);
  });

  it.each([
    ["missing.mjs", undefined, "the module missing.mjs of --scheme cannot be loaded: no such file"],
    [".", undefined, "the module . of --scheme cannot be loaded: it is not a file"],
    ["", undefined, "--scheme needs the path of a module"],
    [
      "a.mjs",
      "export default ][",
      "the module a.mjs of --scheme cannot be loaded: SyntaxError: Unexpected token ']'",
    ],
    ["a.mjs", "throw new Error('one\\ntwo')", "the module a.mjs of --scheme cannot be loaded: one"],
    ["a.mjs", "export default () => { throw 'text' }", "the module a.mjs of --scheme cannot be loaded: text"],
    [
      "a.mjs",
      "export const scheme = 1",
      "the module a.mjs of --scheme cannot be loaded: it has no default export; export a scheme, an array of schemes, or a function that returns one",
    ],
    [
      "a.mjs",
      "export default 5",
      "the default export of the module a.mjs of --scheme is not valid: it has to be a scheme, such as the return value of http(), and not 5",
    ],
    ["a.mjs", "export default []", "the default export of the module a.mjs of --scheme has no scheme"],
    [
      "a.mjs",
      `${imports}export default ${echoScheme("http")}`,
      "the module a.mjs of --scheme has the scheme http, which is registered already",
    ],
    [
      "a.mjs",
      `${imports}export default [${echoScheme("x-a")}, ${echoScheme("x-a")}]`,
      "the default export of the module a.mjs of --scheme is not valid: the scheme x-a is registered twice",
    ],
  ])("the option --scheme %j with the module text %j is a usage error", async (name, text, message) => {
    const folder = createModuleFolder(text === undefined ? {} : { [name]: text });
    expect(await run(["schemes", "--scheme", name], folder)).toEqual({
      exitCode: 2,
      signal: null,
      stdout: "",
      stderr: `anyscheme: ${message}\nsee: anyscheme --help schemes\n`,
    });
  });

  it.each(['"x-finger.ts"', "[1]", '[""]'])("the setting schemes %s is a usage error", async (value) => {
    const folder = createModuleFolder();
    mkdirSync(join(folder, "anyscheme"));
    writeFileSync(join(folder, "anyscheme", "config.json"), `{ "schemes": ${value} }`);
    expect(await run(["schemes"], folder, { XDG_CONFIG_HOME: folder })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        'schemes must be a list of the paths of modules, as in ["x-finger.ts"]',
      ),
    });
  });

  it("a scheme module that waits for a promise that never settles makes the command fail", async () => {
    const folder = createModuleFolder({ "a.mjs": "await new Promise(() => undefined);" });
    expect(await run(["schemes", "--scheme", "a.mjs"], folder)).toMatchObject({
      exitCode: 70,
      stdout: "",
      stderr: "anyscheme: internal error: the command ended without a result\n",
    });
  });

  it("a scheme module of the configuration file is not loaded for completion, help and version", async () => {
    const folder = createModuleFolder();
    mkdirSync(join(folder, "anyscheme"));
    writeFileSync(join(folder, "anyscheme", "config.json"), '{ "schemes": ["missing.ts"] }');
    for (const args of [["completion", "bash"], ["--help"], ["--version"]])
      expect(await run(args, folder, { XDG_CONFIG_HOME: folder })).toMatchObject({ exitCode: 0, stderr: "" });
  });
});

it("the advice for an unknown scheme names --scheme, and the completion scripts contain --scheme", async () => {
  const { exitCode, stderr } = await run(["get", "x-finger://h.example/bob"]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("; --scheme FILE adds a scheme from a module)");
  for (const shell of ["bash", "zsh", "fish"])
    expect((await run(["completion", shell])).stdout).toMatch(/(?:--scheme\b|-l scheme\b)/);
});
