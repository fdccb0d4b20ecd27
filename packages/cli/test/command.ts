import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** The command as `tsc -b` has built it; `bundle.test.ts` has what is installed. */
export const mainFile: string = fileURLToPath(new URL("../dist/main.js", import.meta.url));

export interface Ended {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export type Command = ChildProcess & {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<Ended>;
};

export interface CommandOptions {
  readonly cwd?: string;
  readonly file?: string;
  /** Changes to the environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether something will be written to its standard input. Default: it has none. */
  readonly input?: true;
}

/** Starts the built command as a process that has no terminal. Throws when it has not been built. */
export function startCommand(args: readonly string[], options: CommandOptions = {}): Command {
  const { file = mainFile, cwd, env, input } = options;
  if (!existsSync(mainFile))
    throw new Error(`${mainFile} is missing: the command has to be built first, with tsc -b`);
  // A process group of its own has no terminal that it could ask at.
  const child = spawn(process.execPath, [file, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: [input ? "pipe" : "ignore", "pipe", "pipe"],
    detached: true,
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => err.push(chunk));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exit, signal) =>
      resolve({ exit, signal, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }),
    );
  });
  return Object.assign(child, { ended }) as Command;
}

/** Runs the built command to its end. */
export function runCommand(args: readonly string[], options?: CommandOptions): Promise<Ended> {
  return startCommand(args, options).ended;
}
