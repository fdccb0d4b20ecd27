import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { prepareServers, startNginx } from "@anyscheme/servers";
import type { BenchmarkOptions } from "../measure/benchmark-options.ts";
import { memoryFolder } from "../measure/machine.ts";
import { runComparison, type Comparison, type ProcessContender } from "../measure/comparison.ts";
import { removeFileBeforeRun, scriptContender, curlContender } from "../measure/contenders.ts";

import { scaledAmount, startRelay } from "../relay/relay.ts";

const ROUNDS = 5;
const PAGE_BYTES = 1024;
const BIG_BYTES = 2 ** 30;

/** Compares with undici, got, node:http and curl, each in its own process, with nginx as the server. */
export async function run({ delayMs }: BenchmarkOptions): Promise<void> {
  await prepareServers(["nginx"]);
  await using nginx = await startNginx({ files: { page: "x".repeat(PAGE_BYTES) } });
  const big = await open(join(nginx.root, "big"), "w");
  await big.truncate(BIG_BYTES);
  await big.close();
  await using relay = await startRelay(nginx.port, delayMs);
  const origin = `http://127.0.0.1:${relay.port}`;
  const file = join(memoryFolder, `anyscheme-bench-${process.pid}`);
  try {
    for (const race of createComparisons(origin, file, delayMs)) await runComparison(race, ROUNDS);
  } finally {
    await rm(file, { force: true });
  }
}

function createComparisons(origin: string, file: string, delayMs: number): Comparison[] {
  const own = (name: string, amount: number, concurrency = 1): ProcessContender =>
    scriptContender(new URL("./contender.js", import.meta.url), name, origin, amount, concurrency, file);
  const big = { url: `${origin}/big`, amount: 1, concurrency: 1, bytes: BIG_BYTES };
  const pages = (concurrency: number, least: number): Comparison => ({
    title: `pages of 1 KiB, ${concurrency} at once`,
    unit: ["requests/s", 1 / PAGE_BYTES],
    contenders: [
      ...["ours", "undici.request", "undici.dispatch", "undici.fetch", "got", "node:http"].map((name) =>
        own(`page ${name}`, scaledAmount(20_000, concurrency, delayMs), concurrency),
      ),
      curlContender("page curl", {
        url: `${origin}/page`,
        output: "/dev/null",
        amount: scaledAmount(20_000, concurrency, delayMs),
        concurrency,
        bytes: PAGE_BYTES,
      }),
    ],
    goals: [
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
      contenders: [
        ...["ours", "ours, for-await", "undici.request", "undici.request, for-await", "undici.stream"].map(
          (name) => own(`big ${name}`, 1),
        ),
        ...["undici.fetch", "got", "node:http"].map((name) => own(`big ${name}`, 1)),
        curlContender("big curl", { ...big, output: "/dev/null" }),
      ],
      goals: [
        ["big ours", "big undici.request", 0.95],
        ["big ours, for-await", "big undici.request, for-await", 0.95],
        ["big ours", "big undici.fetch", 1.5],
      ],
      memoryGoal: ["big ours", 20],
    },
    {
      title: "a body of 1 GiB, into a file",
      unit: ["GiB/s", 1 / BIG_BYTES],
      contenders: [
        ...["ours", "undici.stream"].map((name) => own(`save ${name}`, 1)),
        curlContender("save curl", { ...big, output: file }),
      ].map((racer) => removeFileBeforeRun(file, BIG_BYTES, racer)),
      goals: [["save ours", "save undici.stream", 1.2]],
      memoryGoal: ["save ours", 20],
    },
  ];
}
