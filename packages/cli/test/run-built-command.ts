import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** The path of the command before bundling. `bundle.test.ts` runs the bundle. */
export const builtCommandFile: string = fileURLToPath(new URL("../dist/main.js", import.meta.url));

export interface CommandProcessResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type CommandProcess = ChildProcess & {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<CommandProcessResult>;
};

export interface CommandProcessOptions {
  readonly cwd?: string;
  readonly commandFile?: string;
  /** The environment variables that the test adds or overrides. */
  readonly env?: NodeJS.ProcessEnv;
  /** True when the test itself writes to the standard input of the command. Default: no standard input. */
  readonly isStdinOpen?: true;
}

/** Starts the built command without a terminal. Throws an error if the command has not been built. */
export function startBuiltCommand(
  args: readonly string[],
  options: CommandProcessOptions = {},
): CommandProcess {
  const { commandFile: file = builtCommandFile, cwd, env, isStdinOpen: input } = options;
  if (!existsSync(builtCommandFile))
    throw new Error(`${builtCommandFile} is missing: the command has to be built first, with tsc -b`);
  // A detached process has no controlling terminal.
  const child = spawn(process.execPath, [file, ...args], {
    cwd,
    // A proxy of the machine must not get the requests to the servers of a test.
    env: { ...process.env, no_proxy: "*", ...env },
    stdio: [input ? "pipe" : "ignore", "pipe", "pipe"],
    detached: true,
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => err.push(chunk));
  const ended = new Promise<CommandProcessResult>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exit, signal) =>
      resolve({
        exitCode: exit,
        signal,
        stdout: Buffer.concat(out).toString(),
        stderr: Buffer.concat(err).toString(),
      }),
    );
  });
  return Object.assign(child, { ended }) as CommandProcess;
}

/** Runs the built command to its end. */
export function runBuiltCommand(
  args: readonly string[],
  options?: CommandProcessOptions,
): Promise<CommandProcessResult> {
  return startBuiltCommand(args, options).ended;
}
