import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { locateShellOrGroff } from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { expect, it } from "vitest";
import { COMMAND_HELP_ENTRIES } from "../../src/args/command-definitions.ts";
import { OPTION_DEFINITIONS } from "../../src/args/options.ts";
import { runBuiltCommand } from "../run-built-command.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

const execFileAsync = promisify(execFile);

/** Returns the completions of bash for a command line. */
async function completeWithBash(words: readonly string[], cwd?: string): Promise<string[]> {
  const { stdout: script } = await runBuiltCommand(["completion", "bash"]);
  const line = ["anyscheme", ...words].map((word) => `'${word}'`).join(" ");
  const asking = `${script}\nCOMP_WORDS=(${line})\nCOMP_CWORD=${words.length}\n_anyscheme\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await execFileAsync("bash", ["--norc", "-c", asking], { cwd });
  return stdout.split("\n").filter((word) => word !== "");
}

it.each([
  [["ge"], ["get"]],
  [[""], COMMAND_HELP_ENTRIES.map(({ name }) => name)],
  [["--v"], ["--version"]],
  [
    ["--help", "g"],
    ["get", "gateway"],
  ],
  [
    ["completion", ""],
    ["bash", "zsh", "fish"],
  ],
  [
    ["ls", "--color", "a"],
    ["auto", "always"],
  ],
  [["get", "--tls", "im"], ["implicit"]],
  [["get", "--ftp-method", "m"], ["multicwd"]],
  [
    ["plan", "--type", ""],
    ["a", "i", "d"],
  ],
  [["get", "--out"], ["--output"]],
  [
    ["get", "--no"],
    ["--no-clobber", "--no-proxy", "--noproxy", "--no-progress"],
  ],
  [
    ["gateway", "--"],
    [
      "--silent",
      "-s",
      "--gateway",
      "--scheme",
      "--proxy",
      "--no-proxy",
      "-x",
      "--noproxy",
      "--proxy-cacert",
      "--news-server",
      "--allow-port",
      "--cache",
      "--gopher-ttl",
      "--port",
      "--help",
      "-h",
      "--version",
      "-V",
    ].filter((word) => word.startsWith("--")),
  ],
])("bash completes %j", async (words, expected) => {
  expect(await completeWithBash(words)).toEqual(expected);
});

it.each([["lint"], ["get", "-o"]])(
  "bash completes %j to files whose names contain blanks and stars",
  async (...words) => {
    const folder = createTemporaryFolder();
    for (const name of ["b file", "b*", "other"]) writeFileSync(join(folder, name), "");
    expect((await completeWithBash([...words, "b"], folder)).toSorted()).toEqual(["b file", "b*"]);
  },
);

it.each(["bash", "zsh", "fish"])(
  "the completion script for %s contains every command and every option",
  async (shell) => {
    const { stdout, exitCode } = await runBuiltCommand(["completion", shell]);
    expect(exitCode).toBe(0);
    for (const { name } of [...COMMAND_HELP_ENTRIES, ...OPTION_DEFINITIONS]) expect(stdout).toContain(name);
  },
);

it("completion for an unknown shell is a usage error", async () => {
  expect(await runBuiltCommand(["completion", "csh"])).toMatchObject({ exitCode: 2, stdout: "" });
});

/** Runs a script with a shell. Returns the output and the error messages. */
async function runScript(
  shell: "zsh" | "fish",
  script: string,
  args: readonly string[] = [],
): Promise<string> {
  const program = locateShellOrGroff(shell);
  if (!program) throw new Error(`${shell} is missing`);
  const file = join(createTemporaryFolder(), "script");
  writeFileSync(file, script);
  const env = { ...process.env, ...program.environment, HOME: createTemporaryFolder() };
  const { stdout, stderr } = await execFileAsync(program.path, [...args, file], { env }).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  return `${stdout}${stderr}`;
}

for (const shell of ["zsh", "fish"] as const) {
  describeIfServerAvailable(shell, `the completion script in ${shell}`, () => {
    it("the shell accepts the completion script, and rejects a script with a syntax error", async () => {
      const { stdout } = await runBuiltCommand(["completion", shell]);
      expect(await runScript(shell, stdout, ["-n"])).toBe("");
      expect(await runScript(shell, `${stdout}\nif (\n`, ["-n"])).not.toBe("");
    });
  });
}

describeIfServerAvailable("fish", "the completions of fish", () => {
  /** Returns the completions of a command line in fish, each with its description. */
  async function completeWithFish(line: string): Promise<string> {
    const { stdout } = await runBuiltCommand(["completion", "fish"]);
    // An unpacked fish does not find its own functions.
    const functions = join(locateShellOrGroff("fish")?.path ?? "", "../../share/fish/functions");
    const script = `set -p fish_function_path ${functions}\n${stdout}\ncomplete -C "anyscheme ${line}"\n`;
    return await runScript("fish", script);
  }

  it.each<[line: string, words: readonly string[]]>([
    ["get --no-", ["--no-clobber", "--no-progress", "--no-proxy"]],
    ["ls --color=", ["--color=always", "--color=auto", "--color=never"]],
    ["get --tls ", ["explicit", "implicit", "opportunistic"]],
    ["completion ", ["bash", "fish", "zsh"]],
    ["--help ge", ["get"]],
  ])("fish completes %j", async (line, words) => {
    const output = await completeWithFish(line);
    expect((output.match(/^[^\t\n]+/gm) ?? []).toSorted()).toEqual(words);
  });

  it("fish shows the descriptions of the options unchanged", async () => {
    const output = await completeWithFish("get --");
    for (const { name, description, commands } of OPTION_DEFINITIONS)
      if (!commands || commands.includes("get")) expect(output).toContain(`--${name}\t${description}`);
  });
});

describeIfServerAvailable("zsh", "the completions of zsh", () => {
  /** Returns the arguments with which the script calls the functions of the completion system of zsh. */
  async function listCompletionArguments(words: readonly string[]): Promise<string> {
    const { stdout } = await runBuiltCommand(["completion", "zsh"]);
    const stubs = `compdef() {}
_arguments() { print -rl -- "$@"; }
_describe() { shift; for name in "$@"; do [[ $name = -- ]] || print -rl -- "\${(@P)name}"; done; }
words=(anyscheme ${words.join(" ")} '')
CURRENT=\${#words}
`;
    return await runScript("zsh", `${stubs}${stdout}_anyscheme\n`);
  }

  it("zsh receives each description with escaped colons and brackets, and the values of options", async () => {
    const lines = (await listCompletionArguments(["get"])).split("\n");
    for (const row of [
      String.raw`*--gateway[use a gateway for a scheme, as in wais=http\://gw.example/?url={url}; WHEN is always, unavailable (if the server is unavailable) or unregistered (if the scheme is unregistered)]:SCHEME=TEMPLATE[,WHEN]:_files`,
      String.raw`--no-proxy[use this proxy`,
      String.raw`--tls[TLS for FTP\: explicit, implicit, or opportunistic (if the server offers it); default\: none]:MODE:(explicit implicit opportunistic)`,
      String.raw`-u[user name and password for URLs without a login; without PASSWORD, the terminal asks for the password]:NAME[\:PASSWORD]:_files`,
    ])
      expect(lines.filter((line) => line.startsWith(row))).toHaveLength(1);
  });

  it("zsh completes the first word, the command after --help, and the shell after completion", async () => {
    const first = await listCompletionArguments([]);
    expect(first).toMatch(/^open:.*mailto\\: URL/m);
    expect(first).toMatch(/^--version:show the version$/m);
    expect(await listCompletionArguments(["--help"])).toMatch(/^get:download URLs/m);
    expect(await listCompletionArguments(["completion"])).toMatch(/^1:shell:\(bash zsh fish\)$/m);
  });
});
