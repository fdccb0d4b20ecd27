import { table } from "./rounds.ts";

/** What a contender has measured. */
export interface Sample {
  readonly ms: number;
  readonly done: number;
  readonly cpuMs: number;
  /** At most, above what the process had before. */
  readonly rssMiB: number;
}

export interface Racer {
  readonly name: string;
  run(): Promise<Sample>;
}

export interface Race {
  readonly title: string;
  /** What a sample is counted in, and how many of it there are in one of its `done`. */
  readonly unit: readonly [name: string, factor: number];
  readonly racers: readonly Racer[];
  /** One against another: the least ratio of their speeds. */
  readonly goals: readonly (readonly [ours: string, other: string, ratio: number])[];
  /** The least speed of one. */
  readonly least?: readonly (readonly [ours: string, speed: number])[] | undefined;
  /** The most memory of one, in MiB. */
  readonly memory?: readonly [ours: string, mib: number] | undefined;
}

interface Summary {
  readonly name: string;
  readonly speed: number;
  readonly from: number;
  readonly to: number;
  readonly cpu: number;
  readonly rss: number;
}

/** Lets each take a turn in every round, and writes the medians. */
export async function hold(
  { title, unit: [unit, factor], racers, goals, least = [], memory }: Race,
  rounds: number,
): Promise<void> {
  const samples = racers.map((): Sample[] => []);
  for (let round = 0; round < rounds; round++) {
    // Another order in each round, so that nobody always comes after the same one.
    for (const place of racers.keys()) {
      const index = (place + round) % racers.length;
      const taken = await racers[index]?.run().catch(() => undefined);
      if (taken) samples[index]?.push(taken);
    }
  }
  const rows = racers.map(({ name }, index) => summary(name, samples[index] ?? [], factor));
  const of = (wanted: string): Summary | undefined => rows.find(({ name }) => name === wanted);
  const text = table([
    [title, unit, "from", "to", "CPU µs each", "MiB more"],
    ...rows.map(({ name, speed, from, to, cpu, rss }) =>
      [name].concat([speed, from, to, cpu, rss].map(short)),
    ),
  ]);
  const verdicts = goals.map(([ours, other, goal]) => {
    const ratio = (of(ours)?.speed ?? Number.NaN) / (of(other)?.speed ?? Number.NaN);
    return `${ours} ÷ ${other}: ${ratio.toFixed(2)}, goal ${goal} ${ratio >= goal ? "reached" : "MISSED"}`;
  });
  for (const [ours, goal] of least) {
    const { speed = Number.NaN } = of(ours) ?? {};
    verdicts.push(`${ours}: ${short(speed)} ${unit}, goal ${goal} ${speed >= goal ? "reached" : "MISSED"}`);
  }
  if (memory) {
    const [ours, goal] = memory;
    const most = of(ours)?.rss ?? Number.NaN;
    verdicts.push(`${ours}: ${short(most)} MiB more, goal ${goal} ${most <= goal ? "reached" : "MISSED"}`);
  }
  process.stdout.write(`\n${[text, ...verdicts].join("\n")}\n`);
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
