import { execFile } from "node:child_process";

/** Options of a command: folder, environment and timeout. */
export interface ReadProgramOutputOptions {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The time in milliseconds after which the command is killed. Default 120 000. */
  readonly timeoutMs?: number;
}

/**
 * Runs a program to its end and returns its standard output. The program runs in the locale C, so that its
 * messages are in English.
 *
 * @throws Error with a line of the program's standard error output when the program fails.
 */
export function readProgramOutput(
  program: string,
  args: readonly string[],
  { cwd, environment, timeoutMs = 120_000 }: ReadProgramOutputOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      env: { ...process.env, ...environment, LC_ALL: "C" },
      timeout: timeoutMs,
      maxBuffer: 16 * 1024 * 1024,
      ...(cwd === undefined ? {} : { cwd }),
    };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      reject(new Error(`${program} failed: ${findErrorLine(stderr) ?? error.message}`, { cause: error }));
    });
    child.stdin?.end();
  });
}

/**
 * Returns the last line of the error output, or the first error line of apt, which causes the following
 * errors.
 */
function findErrorLine(stderr: string): string | undefined {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  return lines.find((line) => line.startsWith("E: ")) ?? lines.at(-1);
}
