import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { prefaultMemoryByWritingFile } from "./describe-machine.ts";
import type { ChildProcessBenchmark, ChildProcessMeasurement } from "./compare-processes.ts";

const execFileAsync = promisify(execFile);

/**
 * Returns a benchmark that runs a script in its own process. The script of the benchmark prints its measurement as
 * JSON.
 */
export function createScriptBenchmark(
  script: URL,
  name: string,
  ...args: readonly (string | number)[]
): ChildProcessBenchmark {
  const file = fileURLToPath(script);
  return {
    name,
    async run() {
      const { stdout } = await execFileAsync(process.execPath, [file, name, ...args.map(String)]);
      return JSON.parse(stdout) as ChildProcessMeasurement;
    },
  };
}

/**
 * Returns a benchmark that removes the target file before each run, since overwriting a file is faster than
 * creating one.
 */
export function addFileRemovalBeforeRuns(
  file: string,
  bodyBytes: number,
  benchmark: ChildProcessBenchmark,
): ChildProcessBenchmark {
  return {
    name: benchmark.name,
    run() {
      prefaultMemoryByWritingFile(file, bodyBytes);
      return benchmark.run();
    },
  };
}

export interface CurlBenchmarkOptions {
  readonly url: string;
  /** The path of the file to which curl writes the body. */
  readonly outputPath: string;
  readonly requestCount: number;
  readonly concurrency: number;
  /** The size of one response body in bytes. */
  readonly bodyBytes: number;
}

/**
 * Returns a benchmark that runs curl in one process with parallel transfers. The server must ignore the
 * query, in which curl sends the number of the request.
 */
export function createCurlBenchmark(
  name: string,
  { url, outputPath, requestCount, concurrency, bodyBytes }: CurlBenchmarkOptions,
): ChildProcessBenchmark {
  return {
    name,
    async run() {
      const parallel = concurrency > 1 ? ["-Z", "--parallel-max", String(concurrency)] : [];
      // curl expands a range such as `[1-9]` to one URL per number.
      const args = [
        "-s",
        ...parallel,
        "-o",
        outputPath,
        requestCount > 1 ? `${url}?[1-${requestCount}]` : url,
      ];
      const began = performance.now();
      await execFileAsync("curl", args);
      const durationMs = performance.now() - began;
      return {
        durationMs,
        processedAmount: requestCount * bodyBytes,
        cpuMs: Number.NaN,
        addedMemoryMiB: Number.NaN,
      };
    },
  };
}
