import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { rewriteAndRemoveFile } from "./machine.ts";
import type { ProcessContender, ProcessMeasurement } from "./comparison.ts";

const execute = promisify(execFile);

/** A contender in its own process: a script that measures itself and prints the result as JSON. */
export function scriptContender(
  script: URL,
  name: string,
  ...args: readonly (string | number)[]
): ProcessContender {
  const file = fileURLToPath(script);
  return {
    name,
    async run() {
      const { stdout } = await execute(process.execPath, [file, name, ...args.map(String)]);
      return JSON.parse(stdout) as ProcessMeasurement;
    },
  };
}

/** Removes the target file before each run, since overwriting a file is faster than creating one. */
export function removeFileBeforeRun(file: string, bytes: number, racer: ProcessContender): ProcessContender {
  return {
    name: racer.name,
    run() {
      rewriteAndRemoveFile(file, bytes);
      return racer.run();
    },
  };
}

export interface CurlOptions {
  readonly url: string;
  /** The path of the output file. */
  readonly output: string;
  readonly amount: number;
  readonly concurrency: number;
  /** The size of one body. */
  readonly bytes: number;
}

/** curl in one process with parallel transfers. The server must ignore a number in the query. */
export function curlContender(
  name: string,
  { url, output, amount, concurrency, bytes }: CurlOptions,
): ProcessContender {
  return {
    name,
    async run() {
      const parallel = concurrency > 1 ? ["-Z", "--parallel-max", String(concurrency)] : [];
      // curl expands a range to one URL per number.
      const args = ["-s", ...parallel, "-o", output, amount > 1 ? `${url}?[1-${amount}]` : url];
      const began = performance.now();
      await execute("curl", args);
      const ms = performance.now() - began;
      return { ms, doneCount: amount * bytes, cpuMs: Number.NaN, addedMemoryMiB: Number.NaN };
    },
  };
}
