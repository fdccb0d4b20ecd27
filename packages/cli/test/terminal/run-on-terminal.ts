import { spawn, spawnSync } from "node:child_process";
import { expect } from "vitest";
import { builtCommandFile } from "../run-built-command.ts";

/**
 * `script` of util-linux runs a command on a pseudo-terminal. Systems other than Linux have a different program
 * `script`.
 */
export const hasScriptProgram: boolean = String(spawnSync("script", ["--version"]).stdout).includes(
  "util-linux",
);

/** The output after which the test types, and the typed text. */
type TypedInput = readonly (readonly [sees: string, types: string])[];

/**
 * Runs the built command on a pseudo-terminal, types after each expected output, and prints the state of the terminal
 * afterwards. The shell runs the commands in `before` first.
 */
export async function runOnTerminal(
  args: readonly string[],
  typing: TypedInput,
  before = "",
): Promise<{ exit: number | null; screen: string }> {
  const line = [process.execPath, builtCommandFile, ...args].map((word) => `'${word}'`).join(" ");
  // Ctrl-C also reaches the shell, which ignores it and prints the state of the terminal.
  const shell = `trap : INT; ${before}${line}; code=$?; stty -a; exit $code`;
  const child = spawn("script", ["--quiet", "--return", "--command", shell, "/dev/null"], {
    env: { ...process.env, SHELL: "/bin/sh", TERM: "vt100" },
  });
  const left = [...typing];
  let screen = "";
  let seen = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    screen += chunk.toString("latin1");
    for (;;) {
      const [next] = left;
      const found = next ? screen.indexOf(next[0], seen) : -1;
      if (!next || found < 0) return;
      left.shift();
      seen = found + next[0].length;
      child.stdin.write(next[1]);
    }
  });
  const exit = await new Promise<number | null>((resolve) => child.once("close", resolve));
  expect(left).toEqual([]);
  return { exit, screen };
}

/** Checks that the terminal echoes the input again and is in line mode. */
export function expectRestoredTerminal(screen: string): void {
  expect(screen).toMatch(/[^-]icanon/);
  expect(screen).toMatch(/[^-]echo /);
}
