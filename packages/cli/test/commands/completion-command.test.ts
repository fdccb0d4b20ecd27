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
import { createTestFolder } from "../../../../test/fixtures/temporary-folder.ts";

const execFileAsync = promisify(execFile);

/** Returns the completions of bash for a command line. */
async function completeWithBash(words: readonly string[]): Promise<string[]> {
  const { stdout: script } = await runBuiltCommand(["completion", "bash"]);
  const line = ["anyscheme", ...words].map((word) => `'${word}'`).join(" ");
  const asking = `${script}\nCOMP_WORDS=(${line})\nCOMP_CWORD=${words.length}\n_anyscheme\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await execFileAsync("bash", ["--norc", "-c", asking]);
  return stdout.split("\n").filter((word) => word !== "");
}

it.each([
  [["ge"], ["get"]],
  [[""], COMMAND_HELP_ENTRIES.map(({ name }) => name)],
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

/** Checks the syntax of a script with a shell. */
async function checkScriptSyntax(shell: "zsh" | "fish", script: string): Promise<string> {
  const program = locateShellOrGroff(shell);
  if (!program) throw new Error(`${shell} is missing`);
  const file = join(createTestFolder(), "script");
  writeFileSync(file, script);
  const env = { ...process.env, ...program.environment, HOME: createTestFolder() };
  const { stdout, stderr } = await execFileAsync(program.path, ["-n", file], { env }).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  return `${stdout}${stderr}`;
}

for (const shell of ["zsh", "fish"] as const) {
  describeIfServerAvailable(shell, `the completion script in ${shell}`, () => {
    it("the shell accepts the completion script, and rejects a script with a syntax error", async () => {
      const { stdout } = await runBuiltCommand(["completion", shell]);
      expect(await checkScriptSyntax(shell, stdout)).toBe("");
      expect(await checkScriptSyntax(shell, `${stdout}\nif (\n`)).not.toBe("");
    });
  });
}
