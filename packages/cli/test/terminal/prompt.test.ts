import { spawn, spawnSync } from "node:child_process";
import { startFtpTestServer } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";
import { builtCommandFile } from "../run-built-command.ts";

/**
 * `script` of util-linux runs a command on a pseudo-terminal. Systems other than Linux have a different program
 * `script`. */
const hasScriptProgram = String(spawnSync("script", ["--version"]).stdout).includes("util-linux");

/** Runs the built command on a pseudo-terminal, and types after the question. */
async function runOnTerminal(
  args: readonly string[],
  typed: string,
): Promise<{ exit: number | null; screen: string }> {
  const words = [process.execPath, builtCommandFile, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", [
    "--quiet",
    "--return",
    "--command",
    `${words}; code=$?; stty -a; exit $code`,
    "/dev/null",
  ]);
  let screen = "";
  let asked = false;
  child.stdout.on("data", (chunk: Buffer) => {
    screen += chunk.toString();
    if (asked || !screen.includes("Password for")) return;
    asked = true;
    child.stdin.write(typed);
  });
  const exit = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { exit, screen };
}

describe.skipIf(!hasScriptProgram)("the password prompt on a pseudo-terminal (script of util-linux)", () => {
  const rows: [name: string, typed: string, exit: number, shows: RegExp][] = [
    ["a correct password", "Needle\r", 0, /hello/],
    ["a password with corrected keys", "wrong\u0015Needlx\u007fe\r", 0, /hello/],
    ["a pasted password with a tab and a second line", "Nee\tdle\r\nNeed\r", 0, /hello/],
    ["a bracketed paste", "\u001b[200~Needle\u001b[201~\r", 0, /hello/],
    ["a password with a cursor key", "Nedle\u001b[D\u001b[D\u001b[De\r", 0, /hello/],
    ["Ctrl-Z", "\u001aNeedle\r", 0, /hello/],
    ["a wrong password", "Needless\r", 67, /permission-denied: .*530/],
    ["Ctrl-D", "\u0004", 67, /authentication-required/],
    ["Ctrl-C", "Need\u0003", 130, /interrupted/],
  ];
  it.each(rows)("askLine restores the terminal after %s", async (_, typed, exit, shows) => {
    await using server = await startFtpTestServer({ files: { "f.txt": "hello" }, users: { joe: "Needle" } });
    const seen = await runOnTerminal(["get", `ftp://joe@127.0.0.1:${server.port}/f.txt`], typed);
    expect(seen).toEqual({ exit, screen: expect.stringMatching(shows) });
    expect(seen.screen).not.toContain("Need");
    // After the command, the terminal echoes the input again and is in line mode.
    expect(seen.screen).toMatch(/[^-]icanon/);
    expect(seen.screen).toMatch(/[^-]echo /);
  });
});
