import { fork } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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
const SMALL_ITEM_SIZE = 1024;
const BIG_ITEM_BYTES = 2 ** 30;

/** Compares our Gopher client with plain sockets and curl. The Gopher server runs in its own process. */
export async function runGopherBenchmark({
  connectionDelayMs: delayMs,
}: BenchmarkDelayOptions): Promise<void> {
  const server = fork(fileURLToPath(new URL("./gopher-benchmark-server.js", import.meta.url)));
  const address = await new Promise<{ port: number }>((resolve) => server.once("message", resolve as never));
  const file = join(inMemoryFolderPath, `anyscheme-bench-${process.pid}`);
  try {
    await using relay = await startDelayingRelay(address.port, delayMs);
    for (const race of createGopherComparisons(relay.port, file, delayMs))
      await measureAndPrintProcessSpeeds(race, BENCHMARK_ROUNDS);
  } finally {
    server.disconnect();
    rmSync(file, { force: true });
  }
}

function createGopherComparisons(port: number, file: string, delayMs: number): ProcessComparisonDefinition[] {
  const createOwnBenchmark = (name: string, amount: number, concurrency = 1): ChildProcessBenchmark =>
    createScriptBenchmark(
      new URL("./gopher-client-process.js", import.meta.url),
      name,
      port,
      amount,
      concurrency,
      file,
    );
  // The benchmark's Gopher server ignores the query after a selector.
  const createCurlPeer = (
    name: string,
    selector: string,
    amount: number,
    concurrency: number,
  ): ChildProcessBenchmark => {
    const url = `gopher://127.0.0.1:${port}/9${selector}`;
    const bytes = amount > 1 ? SMALL_ITEM_SIZE : BIG_ITEM_BYTES;
    return createCurlBenchmark(name, {
      url,
      outputPath: "/dev/null",
      requestCount: amount,
      concurrency,
      bodyBytes: bytes,
    });
  };
  const itemsFor = (concurrency: number): number => reduceRequestCountForDelay(12_000, concurrency, delayMs);
  const items = (concurrency: number): ProcessComparisonDefinition => ({
    title: `items of 1 KiB, ${concurrency} at once`,
    unit: ["requests/s", 1 / SMALL_ITEM_SIZE],
    comparedPrograms: [
      ...["ours", "onread", "data", "for-await"].map((name) =>
        createOwnBenchmark(`item ${name}`, itemsFor(concurrency), concurrency),
      ),
      createCurlPeer("item curl", "/item", itemsFor(concurrency), concurrency),
    ],
    ratioGoals: [["item ours", "item onread", 0.9]],
  });
  return [
    ...[1, 10, 50].map(items),
    {
      title: "an item of 1 GiB, received and counted",
      unit: ["GiB/s", 1 / BIG_ITEM_BYTES],
      comparedPrograms: [
        ...["ours", "ours, for-await", "onread", "data", "for-await"].map((name) =>
          createOwnBenchmark(`big ${name}`, 1),
        ),
        createCurlPeer("big curl", "/big", 1, 1),
      ],
      ratioGoals: [["big ours", "big data", 1]],
      memoryGoal: ["big ours", 20],
    },
    {
      title: "an item of 1 GiB, into a file",
      unit: ["GiB/s", 1 / BIG_ITEM_BYTES],
      comparedPrograms: ["ours", "onread"].map((name) =>
        addFileRemovalBeforeRuns(file, BIG_ITEM_BYTES, createOwnBenchmark(`save ${name}`, 1)),
      ),
      ratioGoals: [["save ours", "save onread", 0.85]],
      memoryGoal: ["save ours", 20],
    },
    {
      title: "a menu of 100 000 items (first: up to the first entry; parse: from memory)",
      unit: ["lines/s", 1],
      comparedPrograms: [
        createOwnBenchmark("menu ours", 5),
        createOwnBenchmark("menu first", 5),
        createOwnBenchmark("parse ours", 20),
      ],
      speedGoals: [["parse ours", 1_000_000]],
      ratioGoals: [],
    },
  ];
}
