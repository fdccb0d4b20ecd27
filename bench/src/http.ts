import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { startNginx } from "@anyscheme/servers";
import { memoryFolder } from "./machine.ts";
import { hold, type Race, type Racer } from "./race.ts";
import { afresh, contender, curl } from "./racers.ts";

const ROUNDS = 5;
const PAGE_BYTES = 1024;
const BIG_BYTES = 2 ** 30;

/** nginx on loopback against undici, node:http and curl, each in a process of its own. */
export async function run(): Promise<void> {
  await using nginx = await startNginx({ files: { page: "x".repeat(PAGE_BYTES) } });
  const big = await open(join(nginx.root, "big"), "w");
  await big.truncate(BIG_BYTES);
  await big.close();
  const origin = `http://127.0.0.1:${nginx.port}`;
  const file = join(memoryFolder, `anyscheme-bench-${process.pid}`);
  try {
    for (const race of racesOf(origin, file)) await hold(race, ROUNDS);
  } finally {
    await rm(file, { force: true });
  }
}

function racesOf(origin: string, file: string): Race[] {
  const own = (name: string, amount: number, atOnce = 1): Racer =>
    contender("http-contender", name, origin, amount, atOnce, file);
  const big = { url: `${origin}/big`, amount: 1, atOnce: 1, bytes: BIG_BYTES };
  const pages = (atOnce: number, least: number): Race => ({
    title: `pages of 1 KiB, ${atOnce} at once`,
    unit: ["requests/s", 1 / PAGE_BYTES],
    racers: [
      ...["ours", "undici.request", "undici.dispatch", "undici.fetch", "got", "node:http"].map((name) =>
        own(`page ${name}`, 20_000, atOnce),
      ),
      curl("page curl", {
        url: `${origin}/page`,
        output: "/dev/null",
        amount: 20_000,
        atOnce,
        bytes: PAGE_BYTES,
      }),
    ],
    goals: [
      ["page ours", "page undici.request", least],
      ...(atOnce > 1 ? [["page ours", "page undici.fetch", 3] as const] : []),
    ],
  });
  return [
    pages(1, 1),
    pages(50, 1.2),
    {
      title: "a body of 1 GiB, received and counted",
      unit: ["GiB/s", 1 / BIG_BYTES],
      racers: [
        ...["ours", "ours, for-await", "undici.request", "undici.request, for-await", "undici.stream"].map(
          (name) => own(`big ${name}`, 1),
        ),
        ...["undici.fetch", "got", "node:http"].map((name) => own(`big ${name}`, 1)),
        curl("big curl", { ...big, output: "/dev/null" }),
      ],
      goals: [
        ["big ours", "big undici.request", 0.95],
        ["big ours, for-await", "big undici.request, for-await", 0.95],
        ["big ours", "big undici.fetch", 1.5],
      ],
      memory: ["big ours", 20],
    },
    {
      title: "a body of 1 GiB, into a file",
      unit: ["GiB/s", 1 / BIG_BYTES],
      racers: [
        ...["ours", "undici.stream"].map((name) => own(`save ${name}`, 1)),
        curl("save curl", { ...big, output: file }),
      ].map((racer) => afresh(file, BIG_BYTES, racer)),
      goals: [["save ours", "save undici.stream", 1.2]],
      memory: ["save ours", 20],
    },
  ];
}
