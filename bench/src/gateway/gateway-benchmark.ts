import { type ChildProcess, fork } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DEFAULT_CONCURRENT_REQUEST_LIMITS } from "@anyscheme/gateway";
import { runLoadTest, type LoadTestResult, openNonReadingClients } from "./load-test.ts";
import { formatTable } from "../measure/format-table.ts";

const BENCHMARK_ROUNDS = 9;
const REQUESTS_PER_ROUND = 3_000;
const NON_READING_CLIENT_COUNT = 500;
/** The minimum ratio of the gateway's requests per second to those of the minimal server. */
const MIN_SPEED_RATIO = 0.6;
/** The maximum ratio of the gateway's 99th percentile of latency to that of the minimal server. */
const MAX_P99_LATENCY_RATIO = 3;
const MAX_ADDED_MEMORY_MIB = 200;

interface GatewayBenchmark {
  readonly name: string;
  readonly server: BenchmarkServer;
  readonly path: string;
}

interface BenchmarkServer {
  readonly port: number;
  readonly process: ChildProcess;
}

/** Compares the gateway with a minimal `node:http` server that reads from the same Gopher server. */
export async function runGatewayBenchmark(): Promise<void> {
  const gopher = await startGatewayProcess("../gopher/gopher-benchmark-server");
  const bare = await startGatewayProcess("./gateway-benchmark-server", "bare", String(gopher.port));
  const ours = await startGatewayProcess("./gateway-benchmark-server", "ours", String(gopher.port));
  try {
    const path = `/gopher/127.0.0.1:${gopher.port}`;
    const benchmarks: GatewayBenchmark[] = [
      { name: "bare", server: bare, path: `${path}/9/item` },
      { name: "ours, raw view", server: ours, path: `/~raw${path}/0/item` },
      { name: "ours, page", server: ours, path: `${path}/0/item` },
    ];
    for (const concurrency of [1, 10, 50]) await compareWithMinimalServer(benchmarks, concurrency);
    for (const total of [DEFAULT_CONCURRENT_REQUEST_LIMITS.pages, NON_READING_CLIENT_COUNT]) {
      const server = ["./gateway-benchmark-server", "ours", String(gopher.port), String(total)] as const;
      await measureMemoryWithStalledClients(
        server,
        `/~raw${path}/9/big`,
        `request a body of 1 GiB, and the gateway serves ${total} clients at a time`,
      );
      await measureMemoryWithStalledClients(
        server,
        `${path}/1/menu`,
        `request a long menu, and the gateway serves ${total} clients at a time`,
      );
    }
  } finally {
    for (const { process } of [gopher, bare, ours]) process.disconnect();
  }
}

async function startGatewayProcess(script: string, ...args: string[]): Promise<BenchmarkServer> {
  const child = fork(fileURLToPath(new URL(`${script}.js`, import.meta.url)), args);
  const { port } = await new Promise<{ port: number }>((resolve) => child.once("message", resolve as never));
  return { port, process: child };
}

async function compareWithMinimalServer(
  benchmarks: readonly GatewayBenchmark[],
  concurrency: number,
): Promise<void> {
  const loads = benchmarks.map((): LoadTestResult[] => []);
  for (let round = -1; round < BENCHMARK_ROUNDS; round++) {
    for (const place of benchmarks.keys()) {
      // The order of the benchmarks changes in each round, so that no order favors one of them.
      const index = (place + round + benchmarks.length) % benchmarks.length;
      const benchmark = benchmarks[index];
      if (!benchmark) continue;
      const taken = await runLoadTest(benchmark.server.port, benchmark.path, REQUESTS_PER_ROUND, concurrency);
      if (round >= 0) loads[index]?.push(taken);
    }
  }
  const rows = benchmarks.map(({ name }, index) => {
    const speeds = (loads[index] ?? []).map(measureRequestsPerSecond);
    const tails = (loads[index] ?? []).map(findLatencyPercentile99);
    // The benchmark computes one ratio per round, since other processes on the machine slow both servers.
    const speed = medianOf(speeds.map((value, round) => value / measureRequestsPerSecond(loads[0]?.[round])));
    const tail = medianOf(tails.map((value, round) => value / findLatencyPercentile99(loads[0]?.[round])));
    const reached = speed >= MIN_SPEED_RATIO && tail <= MAX_P99_LATENCY_RATIO ? "reached" : "MISSED";
    return [
      name,
      medianOf(speeds).toFixed(0),
      `${speed.toFixed(2)}×`,
      medianOf(tails).toFixed(2),
      `${tail.toFixed(2)}×`,
    ].concat(index === 0 ? "" : `≥ ${MIN_SPEED_RATIO}, ≤ ${MAX_P99_LATENCY_RATIO}: ${reached}`);
  });
  const title = `text items of 1 KiB, ${concurrency} at once`;
  process.stdout.write(
    `\n${formatTable([[title, "requests/s", "÷ bare", "p99 ms", "÷ bare", "goal"], ...rows])}\n`,
  );
}

function measureRequestsPerSecond(taken: LoadTestResult | undefined): number {
  return taken ? (taken.requestCount * 1000) / taken.durationMs : Number.NaN;
}

function findLatencyPercentile99(taken: LoadTestResult | undefined): number {
  return taken?.latenciesMs[Math.floor(taken.latenciesMs.length * 0.99)] ?? Number.NaN;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/**
 * Measures the memory of a gateway while many clients request data and do not read the responses. The gateway
 * refuses further requests when it has reached its limit of concurrent requests.
 */
async function measureMemoryWithStalledClients(
  command: readonly [string, ...string[]],
  path: string,
  what: string,
): Promise<void> {
  const server = await startGatewayProcess(...command);
  try {
    const end = await openNonReadingClients(server.port, path, NON_READING_CLIENT_COUNT);
    // During the wait, a gateway without a limit would accumulate unread data.
    await pause(3_000);
    const { mostMiB } = await new Promise<{ mostMiB: number }>((resolve) => {
      server.process.once("message", resolve as never);
      server.process.send("memory");
    });
    end();
    const verdict = mostMiB < MAX_ADDED_MEMORY_MIB ? "reached" : "MISSED";
    process.stdout.write(
      `\n${NON_READING_CLIENT_COUNT} slow clients ${what}: ${mostMiB.toFixed(0)} MiB at most, goal < ${MAX_ADDED_MEMORY_MIB} ${verdict}\n`,
    );
  } finally {
    server.process.disconnect();
  }
}
