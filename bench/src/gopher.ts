import { execFile, fork } from "node:child_process";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { table } from "./rounds.ts";

const ROUNDS = 5;
const ITEM_BYTES = 1024;

const execute = promisify(execFile);

/** What a contender has measured. */
interface Sample {
  readonly ms: number;
  readonly done: number;
  readonly cpuMs: number;
  readonly rssMiB: number;
}

interface Contender {
  readonly name: string;
  run(port: number): Promise<Sample>;
}

interface Race {
  readonly title: string;
  /** What a sample is counted in, and how many of it there are in one of its `done`. */
  readonly unit: readonly [name: string, factor: number];
  readonly contenders: readonly Contender[];
  /** Ours against another: the least ratio. */
  readonly goals: readonly (readonly [ours: string, other: string, ratio: number])[];
}

/** A small server in a process of its own against bare sockets and curl. */
export async function run(): Promise<void> {
  const script = (name: string): string => fileURLToPath(new URL(`${name}.js`, import.meta.url));
  const server = fork(script("gopher-server"));
  const { port } = await new Promise<{ port: number }>((resolve) => server.once("message", resolve as never));
  const file = join(tmpdir(), `anyscheme-bench-${process.pid}`);
  const own = (name: string, amount: number, atOnce = 1): Contender => ({
    name,
    run: async () => {
      const args = [script("gopher-contender"), name, port, amount, atOnce, file].map(String);
      return JSON.parse((await execute(process.execPath, args)).stdout) as Sample;
    },
  });
  const items = (atOnce: number): Race => ({
    title: `items of 1 KiB, ${atOnce} at once`,
    unit: ["requests/s", 1 / ITEM_BYTES],
    contenders: [
      ...["ours", "onread", "data", "for-await"].map((name) => own(`item ${name}`, 6000, atOnce)),
      curl("item curl", "/item", 6000, atOnce),
    ],
    goals: [["item ours", "item onread", 0.9]],
  });
  const races: readonly Race[] = [
    ...[1, 10, 50].map(items),
    {
      title: "an item of 1 GiB, received and counted",
      unit: ["GiB/s", 2 ** -30],
      contenders: [
        ...["ours", "ours, for-await", "onread", "data", "for-await"].map((name) => own(`big ${name}`, 1)),
        curl("big curl", "/big", 1, 1),
      ],
      goals: [["big ours", "big data", 1]],
    },
    {
      title: "an item of 1 GiB, into a file",
      unit: ["GiB/s", 2 ** -30],
      contenders: ["ours", "onread"].map((name) => own(`save ${name}`, 1)),
      goals: [["save ours", "save onread", 0.85]],
    },
    {
      title: "a menu of 100 000 items (first: up to the first entry; parse: from memory)",
      unit: ["entries/s", 1],
      contenders: [own("menu ours", 5), own("menu first", 5), own("parse ours", 20)],
      goals: [],
    },
  ];
  try {
    for (const race of races) await perform(race, port);
  } finally {
    server.disconnect();
    rmSync(file, { force: true });
  }
}

/** curl in one process, as many transfers at once as it is told. */
function curl(name: string, selector: string, amount: number, atOnce: number): Contender {
  return {
    name,
    async run(port) {
      const url = `gopher://127.0.0.1:${port}/9${selector}`;
      const parallel = atOnce > 1 ? ["-Z", "--parallel-max", String(atOnce)] : [];
      // A range of numbers makes many URLs of one, and the server does not mind what follows its selectors.
      const args = ["-s", ...parallel, "-o", "/dev/null", amount > 1 ? `${url}?[1-${amount}]` : url];
      const began = performance.now();
      await execute("curl", args);
      const bytes = amount > 1 ? amount * ITEM_BYTES : 2 ** 30;
      return { ms: performance.now() - began, done: bytes, cpuMs: Number.NaN, rssMiB: Number.NaN };
    },
  };
}

async function perform(
  { title, unit: [unit, factor], contenders, goals }: Race,
  port: number,
): Promise<void> {
  const samples = new Map(contenders.map(({ name }) => [name, [] as Sample[]]));
  for (let round = 0; round < ROUNDS; round++) {
    // Another order in each round, so that nobody always comes after the same one.
    for (const index of contenders.keys()) {
      const contender = contenders[(index + round) % contenders.length];
      if (!contender) continue;
      const taken = await contender.run(port).catch(() => undefined);
      if (taken) samples.get(contender.name)?.push(taken);
    }
  }
  const rows = contenders.map(({ name }) => summary(name, samples.get(name) ?? [], factor));
  const speedOf = (wanted: string): number => rows.find(({ name }) => name === wanted)?.speed ?? Number.NaN;
  const text = table([
    [title, unit, "from", "to", "CPU µs each", "most memory MiB"],
    ...rows.map(({ name, speed, from, to, cpu, rss }) =>
      [name].concat([speed, from, to, cpu, rss].map(short)),
    ),
  ]);
  const verdicts = goals.map(([ours, other, goal]) => {
    const ratio = speedOf(ours) / speedOf(other);
    return `${ours} ÷ ${other}: ${ratio.toFixed(2)}, goal ${goal} ${ratio >= goal ? "reached" : "MISSED"}`;
  });
  process.stdout.write(`\n${[text, ...verdicts].join("\n")}\n`);
}

interface Summary {
  readonly name: string;
  readonly speed: number;
  readonly from: number;
  readonly to: number;
  readonly cpu: number;
  readonly rss: number;
}

/** Medians, and the slowest and fastest round. */
function summary(name: string, samples: readonly Sample[], factor: number): Summary {
  const middle = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
  const speeds = samples.map(({ ms, done }) => (done * factor * 1000) / ms);
  return {
    name,
    speed: middle(speeds),
    from: Math.min(...speeds),
    to: Math.max(...speeds),
    cpu: middle(samples.map(({ cpuMs, done }) => (cpuMs * 1000) / (done * factor))),
    rss: middle(samples.map(({ rssMiB }) => rssMiB)),
  };
}

function short(value: number): string {
  return Number.isFinite(value) ? value.toFixed(value < 100 ? 2 : 0) : "-";
}
