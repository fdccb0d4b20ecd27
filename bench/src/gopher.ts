import { fork } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { memoryFolder } from "./machine.ts";
import { hold, type Race, type Racer } from "./race.ts";
import { afresh, contender, curl } from "./racers.ts";

const ROUNDS = 5;
const ITEM_BYTES = 1024;
const BIG_BYTES = 2 ** 30;

/** A small server in a process of its own against bare sockets and curl. */
export async function run(): Promise<void> {
  const server = fork(fileURLToPath(new URL("gopher-server.js", import.meta.url)));
  const { port } = await new Promise<{ port: number }>((resolve) => server.once("message", resolve as never));
  const file = join(memoryFolder, `anyscheme-bench-${process.pid}`);
  try {
    for (const race of racesOf(port, file)) await hold(race, ROUNDS);
  } finally {
    server.disconnect();
    rmSync(file, { force: true });
  }
}

function racesOf(port: number, file: string): Race[] {
  const own = (name: string, amount: number, atOnce = 1): Racer =>
    contender("gopher-contender", name, port, amount, atOnce, file);
  // The server does not mind what follows its selectors.
  const peer = (name: string, selector: string, amount: number, atOnce: number): Racer => {
    const url = `gopher://127.0.0.1:${port}/9${selector}`;
    const bytes = amount > 1 ? ITEM_BYTES : BIG_BYTES;
    return curl(name, { url, output: "/dev/null", amount, atOnce, bytes });
  };
  const items = (atOnce: number): Race => ({
    title: `items of 1 KiB, ${atOnce} at once`,
    unit: ["requests/s", 1 / ITEM_BYTES],
    racers: [
      ...["ours", "onread", "data", "for-await"].map((name) => own(`item ${name}`, 12_000, atOnce)),
      peer("item curl", "/item", 12_000, atOnce),
    ],
    goals: [["item ours", "item onread", 0.9]],
  });
  return [
    ...[1, 10, 50].map(items),
    {
      title: "an item of 1 GiB, received and counted",
      unit: ["GiB/s", 1 / BIG_BYTES],
      racers: [
        ...["ours", "ours, for-await", "onread", "data", "for-await"].map((name) => own(`big ${name}`, 1)),
        peer("big curl", "/big", 1, 1),
      ],
      goals: [["big ours", "big data", 1]],
      memory: ["big ours", 20],
    },
    {
      title: "an item of 1 GiB, into a file",
      unit: ["GiB/s", 1 / BIG_BYTES],
      racers: ["ours", "onread"].map((name) => afresh(file, BIG_BYTES, own(`save ${name}`, 1))),
      goals: [["save ours", "save onread", 0.85]],
      memory: ["save ours", 20],
    },
    {
      title: "a menu of 100 000 items (first: up to the first entry; parse: from memory)",
      unit: ["lines/s", 1],
      racers: [own("menu ours", 5), own("menu first", 5), own("parse ours", 20)],
      least: [["parse ours", 1_000_000]],
      goals: [],
    },
  ];
}
