import { parseArgs } from "node:util";
import type { BenchmarkDelayOptions } from "./measure/benchmark-delay-options.ts";
import {
  captureStdoutDuring,
  type PerformanceGoalResult,
  parseGoalResults,
  formatGoalTable,
} from "./measure/goal-results.ts";
import { describeMachine } from "./measure/describe-machine.ts";

type RunBenchmark = (options: BenchmarkDelayOptions) => Promise<void>;

/** The benchmarks by their names on the command line. */
const benchmarks: Readonly<Record<string, () => Promise<RunBenchmark>>> = {
  syntax: () => import("./urls/url-parsing-benchmark.ts").then((module) => module.runUrlParsingBenchmark),
  extract: () => import("./urls/url-extraction-benchmark.ts").then((module) => module.runExtractBenchmark),
  file: () => import("./file-scheme-benchmark.ts").then((module) => module.runFileSchemeBenchmark),
  ftp: () => import("./ftp/ftp-benchmark.ts").then((module) => module.runFtpBenchmark),
  gopher: () => import("./gopher/gopher-benchmark.ts").then((module) => module.runGopherBenchmark),
  http: () => import("./http/http-benchmark.ts").then((module) => module.runHttpBenchmark),
  agents: () =>
    import("./http/guarded-undici-agent-benchmark.ts").then(
      (module) => module.runGuardedUndiciAgentBenchmark,
    ),
  nntp: () => import("./nntp/nntp-benchmark.ts").then((module) => module.runNntpBenchmark),
  wais: () => import("./wais/wais-benchmark.ts").then((module) => module.runWaisBenchmark),
  prospero: () =>
    import("./prospero/prospero-benchmark.ts").then((module) => module.runProsperoDecodingBenchmark),
  gateway: () => import("./gateway/gateway-benchmark.ts").then((module) => module.runGatewayBenchmark),
  "start-up": () => import("./start-up-benchmark.ts").then((module) => module.runStartUpBenchmark),
};

/** The names of the benchmarks that can run over a delayed connection. */
const BENCHMARKS_WITH_DELAY_OPTION: ReadonlySet<string> = new Set(["ftp", "gopher", "http", "nntp"]);

const USAGE = `usage: pnpm bench [--delay MS] [NAME…]
  --delay MS  delay the connection by MS milliseconds in each direction (${[...BENCHMARKS_WITH_DELAY_OPTION].join(", ")} only)
  NAME        ${Object.keys(benchmarks).join(", ")}; default: all
`;

function parseCommandLine(): { readonly names: readonly string[]; readonly delayMs: number } {
  const { values, positionals } = parseArgs({
    options: { delay: { type: "string", default: "0" } },
    allowPositionals: true,
  });
  const delayMs = Number(values.delay);
  if (!Number.isInteger(delayMs) || delayMs < 0)
    throw new Error(`--delay has to be a number of milliseconds without a fraction, and not ${values.delay}`);
  const known = Object.keys(benchmarks).filter(
    (name) => delayMs === 0 || BENCHMARKS_WITH_DELAY_OPTION.has(name),
  );
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`there is no such benchmark: ${unknown}`);
  return { names: known.filter((name) => positionals.length === 0 || positionals.includes(name)), delayMs };
}

async function runBenchmarks(names: readonly string[], options: BenchmarkDelayOptions): Promise<void> {
  process.stdout.write(`${describeMachine().join("\n")}\n`);
  if (options.connectionDelayMs > 0)
    process.stdout.write(`delay: ${options.connectionDelayMs} ms in each direction\n`);
  const results: PerformanceGoalResult[] = [];
  for (const name of names) {
    process.stdout.write(`\n# ${name}\n`);
    try {
      const runBenchmark = await benchmarks[name]?.();
      results.push(...parseGoalResults(name, await captureStdoutDuring(async () => runBenchmark?.(options))));
    } catch (error) {
      // If one benchmark fails, for example because its server is missing on this machine, the other benchmarks
      // still run.
      process.stderr.write(`${name} failed: ${String(error)}\n`);
      process.exitCode = 1;
    }
  }
  process.stdout.write(`\n# goals\n${formatGoalTable(results)}\n`);
}

try {
  const { names, delayMs } = parseCommandLine();
  await runBenchmarks(names, { connectionDelayMs: delayMs });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  process.exitCode = 2;
}
