import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execFileAsync } from "../../test/packaging/packed-packages.ts";
import { type TestProgramInput, SUCCESS_OUTPUT_LINE } from "./runtime-test-programs.ts";

const PROGRAM_TIMEOUT_MS = 60_000;
/** The maximum length of a failed program's output in the matrix, in characters. */
const MAX_OUTPUT_LENGTH = 600;

/**
 * Runs a test program, or the command `anyscheme` with the given arguments, on a runtime. Returns the output
 * of the program if it is unexpected, otherwise undefined.
 */
export async function runAndCheckTestProgram(
  command: readonly string[],
  project: string,
  name: string,
  program: string | readonly string[],
  input: TestProgramInput | undefined,
): Promise<string | undefined> {
  const [file = "", ...before] = command;
  const isProgram = typeof program === "string";
  const path = join(
    project,
    isProgram ? `${name.replace(/\W+/g, "-")}.mjs` : "node_modules/anyscheme/bin/anyscheme.cjs",
  );
  if (isProgram) await writeFile(path, program);
  const programArguments = isProgram
    ? [JSON.stringify({ url: input?.url, ports: input?.ports, options: input?.options })]
    : [...program, "--allow-port", `gopher:${input?.ports[0]}`, input?.url ?? ""];
  try {
    const { stdout } = await execFileAsync(file, [...before, path, ...programArguments], {
      cwd: project,
      timeout: PROGRAM_TIMEOUT_MS,
      env: { ...process.env, NO_COLOR: "1" },
    });
    const expected = isProgram ? SUCCESS_OUTPUT_LINE : "Some bytes";
    return stdout.includes(expected)
      ? undefined
      : `unexpected output: ${JSON.stringify(stdout.slice(0, MAX_OUTPUT_LENGTH))}`;
  } catch (error) {
    const { stderr, stdout, message } = error as Error & { stderr?: string; stdout?: string };
    return `${stderr}${stdout}`.trim().slice(0, MAX_OUTPUT_LENGTH) || message;
  }
}
