import { fork } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchmarkOptions } from "../measure/benchmark-options.ts";
import { memoryFolder } from "../measure/machine.ts";
import { runComparison, type Comparison, type ProcessContender } from "../measure/comparison.ts";
import { removeFileBeforeRun, scriptContender, curlContender } from "../measure/contenders.ts";
import { scaledAmount, startRelay } from "../relay/relay.ts";

const ROUNDS = 5;
const ITEM_BYTES = 1024;
const BIG_BYTES = 2 ** 30;

/** Compares with plain sockets and curl, with a small server in its own process. */
export async function run({ delayMs }: BenchmarkOptions): Promise<void> {
  const server = fork(fileURLToPath(new URL("./server.js", import.meta.url)));
  const address = await new Promise<{ port: number }>((resolve) => server.once("message", resolve as never));
  const file = join(memoryFolder, `anyscheme-bench-${process.pid}`);
  try {
    await using relay = await startRelay(address.port, delayMs);
    for (const race of createComparisons(relay.port, file, delayMs)) await runComparison(race, ROUNDS);
  } finally {
    server.disconnect();
    rmSync(file, { force: true });
  }
}

function createComparisons(port: number, file: string, delayMs: number): Comparison[] {
  const own = (name: string, amount: number, concurrency = 1): ProcessContender =>
    scriptContender(new URL("./contender.js", import.meta.url), name, port, amount, concurrency, file);
  // The server ignores the query after a selector.
  const peer = (name: string, selector: string, amount: number, concurrency: number): ProcessContender => {
    const url = `gopher://127.0.0.1:${port}/9${selector}`;
    const bytes = amount > 1 ? ITEM_BYTES : BIG_BYTES;
    return curlContender(name, { url, output: "/dev/null", amount, concurrency, bytes });
  };
  const itemsFor = (concurrency: number): number => scaledAmount(12_000, concurrency, delayMs);
  const items = (concurrency: number): Comparison => ({
    title: `items of 1 KiB, ${concurrency} at once`,
    unit: ["requests/s", 1 / ITEM_BYTES],
    contenders: [
      ...["ours", "onread", "data", "for-await"].map((name) =>
        own(`item ${name}`, itemsFor(concurrency), concurrency),
      ),
      peer("item curl", "/item", itemsFor(concurrency), concurrency),
    ],
    goals: [["item ours", "item onread", 0.9]],
  });
  return [
    ...[1, 10, 50].map(items),
    {
      title: "an item of 1 GiB, received and counted",
      unit: ["GiB/s", 1 / BIG_BYTES],
      contenders: [
        ...["ours", "ours, for-await", "onread", "data", "for-await"].map((name) => own(`big ${name}`, 1)),
        peer("big curl", "/big", 1, 1),
      ],
      goals: [["big ours", "big data", 1]],
      memoryGoal: ["big ours", 20],
    },
    {
      title: "an item of 1 GiB, into a file",
      unit: ["GiB/s", 1 / BIG_BYTES],
      contenders: ["ours", "onread"].map((name) =>
        removeFileBeforeRun(file, BIG_BYTES, own(`save ${name}`, 1)),
      ),
      goals: [["save ours", "save onread", 0.85]],
      memoryGoal: ["save ours", 20],
    },
    {
      title: "a menu of 100 000 items (first: up to the first entry; parse: from memory)",
      unit: ["lines/s", 1],
      contenders: [own("menu ours", 5), own("menu first", 5), own("parse ours", 20)],
      minimumSpeeds: [["parse ours", 1_000_000]],
      goals: [],
    },
  ];
}
