import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { COMMANDS, OPTIONS } from "../src/options.ts";
import { runCommand } from "./command.ts";

const execute = promisify(execFile);

/** What bash offers for a command line whose last word is not complete. */
async function offered(words: readonly string[]): Promise<string[]> {
  const { out: script } = await runCommand(["completion", "bash"]);
  const line = ["anyscheme", ...words].map((word) => `'${word}'`).join(" ");
  const asking = `${script}\nCOMP_WORDS=(${line})\nCOMP_CWORD=${words.length}\n_anyscheme\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await execute("bash", ["--norc", "-c", asking]);
  return stdout.split("\n").filter((word) => word !== "");
}

it.each([
  [["ge"], ["get"]],
  [[""], COMMANDS.map(({ name }) => name)],
  [["get", "--out"], ["--output"]],
  [["get", "--no"], ["--no-progress"]],
  [
    ["gateway", "--"],
    ["--allow-port", "--port", "--help", "--version"],
  ],
])("bash completes %j", async (words, expected) => {
  expect(await offered(words)).toEqual(expected);
});

it.each(["bash", "zsh", "fish"])("the script for %s knows every command and every option", async (shell) => {
  const { out, exit } = await runCommand(["completion", shell]);
  expect(exit).toBe(0);
  for (const { name } of [...COMMANDS, ...OPTIONS]) expect(out).toContain(name);
});

it("another shell is not known", async () => {
  expect(await runCommand(["completion", "csh"])).toMatchObject({ exit: 2, out: "" });
});

it("the manual page has every command, every option and every exit code, and no line that roff would take for a request", async () => {
  const { out } = await runCommand(["--help", "man"]);
  for (const { name } of COMMANDS) expect(out).toContain(`.B anyscheme ${name}`);
  for (const { name } of OPTIONS) expect(out).toContain(name.replaceAll("-", "\\-"));
  const requests = new Set([...out.matchAll(/^\.(\w+)/gm)].map(([, request]) => request));
  expect([...requests].toSorted((one, other) => (String(one) < String(other) ? -1 : 1))).toEqual([
    "B",
    "IP",
    "PP",
    "SH",
    "TH",
    "TP",
    "br",
  ]);
});
