import { execFile } from "node:child_process";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startNginx } from "@anyscheme/servers";
import { hold, type Race, type Racer, type Sample } from "./race.ts";

const ROUNDS = 5;
const PAGE_BYTES = 1024;
const BIG_BYTES = 2 ** 30;

const execute = promisify(execFile);

/** nginx on loopback against undici, node:http and curl, each in a process of its own. */
export async function run(): Promise<void> {
  await using nginx = await startNginx({ files: { page: "x".repeat(PAGE_BYTES) } });
  const big = await open(join(nginx.root, "big"), "w");
  await big.truncate(BIG_BYTES);
  await big.close();
  const origin = `http://127.0.0.1:${nginx.port}`;
  const file = join(tmpdir(), `anyscheme-bench-${process.pid}`);
  try {
    for (const race of racesOf(origin, file)) await hold(race, ROUNDS);
  } finally {
    await rm(file, { force: true });
  }
}

function racesOf(origin: string, file: string): Race[] {
  const script = fileURLToPath(new URL("http-contender.js", import.meta.url));
  const own = (name: string, amount: number, atOnce = 1): Racer => ({
    name,
    run: async () => {
      const args = [script, name, origin, amount, atOnce, file].map(String);
      return JSON.parse((await execute(process.execPath, args)).stdout) as Sample;
    },
  });
  const pages = (atOnce: number, least: number): Race => ({
    title: `pages of 1 KiB, ${atOnce} at once`,
    unit: ["requests/s", 1 / PAGE_BYTES],
    racers: [
      ...["ours", "undici.request", "undici.dispatch", "undici.fetch", "node:http"].map((name) =>
        own(`page ${name}`, 20_000, atOnce),
      ),
      curl("page curl", `${origin}/page`, ["-o", "/dev/null"], 20_000, atOnce),
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
        ...["undici.fetch", "node:http"].map((name) => own(`big ${name}`, 1)),
        curl("big curl", `${origin}/big`, ["-o", "/dev/null"], 1, 1),
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
        curl("save curl", `${origin}/big`, ["-o", file], 1, 1),
      ],
      goals: [["save ours", "save undici.stream", 1.2]],
      memory: ["save ours", 20],
    },
  ];
}

/** curl in one process, as many transfers at once as it is told. */
function curl(name: string, url: string, output: readonly string[], amount: number, atOnce: number): Racer {
  return {
    name,
    async run() {
      const parallel = atOnce > 1 ? ["-Z", "--parallel-max", String(atOnce)] : [];
      // A range of numbers makes many URLs of one.
      const args = ["-s", ...parallel, ...output, amount > 1 ? `${url}?[1-${amount}]` : url];
      const began = performance.now();
      await execute("curl", args);
      const done = amount > 1 ? amount * PAGE_BYTES : BIG_BYTES;
      return { ms: performance.now() - began, done, cpuMs: Number.NaN, rssMiB: Number.NaN };
    },
  };
}
