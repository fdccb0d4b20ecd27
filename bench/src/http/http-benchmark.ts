import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { downloadMissingServers, startNginx } from "@anyscheme/servers";
import type { BenchmarkDelayOptions } from "../measure/benchmark-delay-options.ts";
import { inMemoryFolderPath } from "../measure/describe-machine.ts";
import {
  measureAndPrintProcessSpeeds,
  type ProcessComparisonDefinition,
  type ChildProcessBenchmark,
} from "../measure/compare-processes.ts";
import {
  addFileRemovalBeforeRuns,
  createScriptBenchmark,
  createCurlBenchmark,
} from "../measure/child-process-benchmarks.ts";

import { reduceRequestCountForDelay, startDelayingRelay } from "../relay/start-delaying-relay.ts";

const BENCHMARK_ROUNDS = 5;
const SMALL_PAGE_SIZE = 1024;
const BIG_BYTES = 2 ** 30;

/**
 * Compares our HTTP client with undici, got, node:http and curl, each in its own process, with nginx as the
 * server.
 */
export async function runHttpBenchmark({ connectionDelayMs: delayMs }: BenchmarkDelayOptions): Promise<void> {
  await downloadMissingServers(["nginx"]);
  await using nginx = await startNginx({ files: { page: "x".repeat(SMALL_PAGE_SIZE) } });
  const big = await open(join(nginx.root, "big"), "w");
  await big.truncate(BIG_BYTES);
  await big.close();
  await using relay = await startDelayingRelay(nginx.port, delayMs);
  const origin = `http://127.0.0.1:${relay.port}`;
  const file = join(inMemoryFolderPath, `anyscheme-bench-${process.pid}`);
  try {
    for (const race of createHttpComparisons(origin, file, delayMs))
      await measureAndPrintProcessSpeeds(race, BENCHMARK_ROUNDS);
  } finally {
    await rm(file, { force: true });
  }
}

function createHttpComparisons(origin: string, file: string, delayMs: number): ProcessComparisonDefinition[] {
  const createOwnBenchmark = (name: string, amount: number, concurrency = 1): ChildProcessBenchmark =>
    createScriptBenchmark(
      new URL("./http-client-process.js", import.meta.url),
      name,
      origin,
      amount,
      concurrency,
      file,
    );
  const big = { url: `${origin}/big`, requestCount: 1, concurrency: 1, bodyBytes: BIG_BYTES };
  const pages = (concurrency: number, least: number): ProcessComparisonDefinition => ({
    title: `pages of 1 KiB, ${concurrency} at once`,
    unit: ["requests/s", 1 / SMALL_PAGE_SIZE],
    comparedPrograms: [
      ...["ours", "undici.request", "undici.dispatch", "undici.fetch", "got", "node:http"].map((name) =>
        createOwnBenchmark(
          `page ${name}`,
          reduceRequestCountForDelay(20_000, concurrency, delayMs),
          concurrency,
        ),
      ),
      createCurlBenchmark("page curl", {
        url: `${origin}/page`,
        outputPath: "/dev/null",
        requestCount: reduceRequestCountForDelay(20_000, concurrency, delayMs),
        concurrency,
        bodyBytes: SMALL_PAGE_SIZE,
      }),
    ],
    ratioGoals: [
      ["page ours", "page undici.request", least],
      ...(concurrency > 1 ? [["page ours", "page undici.fetch", 3] as const] : []),
    ],
  });
  return [
    pages(1, 1),
    pages(50, 1.2),
    {
      title: "a body of 1 GiB, received and counted",
      unit: ["GiB/s", 1 / BIG_BYTES],
      comparedPrograms: [
        ...["ours", "ours, for-await", "undici.request", "undici.request, for-await", "undici.stream"].map(
          (name) => createOwnBenchmark(`big ${name}`, 1),
        ),
        ...["undici.fetch", "got", "node:http"].map((name) => createOwnBenchmark(`big ${name}`, 1)),
        createCurlBenchmark("big curl", { ...big, outputPath: "/dev/null" }),
      ],
      ratioGoals: [
        ["big ours", "big undici.request", 0.95],
        ["big ours, for-await", "big undici.request, for-await", 0.95],
        ["big ours", "big undici.fetch", 1.5],
      ],
      memoryGoal: ["big ours", 20],
    },
    {
      title: "a body of 1 GiB, into a file",
      unit: ["GiB/s", 1 / BIG_BYTES],
      comparedPrograms: [
        ...["ours", "undici.stream"].map((name) => createOwnBenchmark(`save ${name}`, 1)),
        createCurlBenchmark("save curl", { ...big, outputPath: file }),
      ].map((racer) => addFileRemovalBeforeRuns(file, BIG_BYTES, racer)),
      ratioGoals: [["save ours", "save undici.stream", 1.2]],
      memoryGoal: ["save ours", 20],
    },
  ];
}
