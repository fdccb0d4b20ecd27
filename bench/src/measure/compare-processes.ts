import { formatTable } from "./format-table.ts";

/** The measurement of one run of a compared program. */
export interface ChildProcessMeasurement {
  readonly durationMs: number;
  readonly processedAmount: number;
  readonly cpuMs: number;
  /** The peak memory of the process minus its memory at the start of the measurement. */
  readonly addedMemoryMiB: number;
}

export interface ChildProcessBenchmark {
  readonly name: string;
  run(): Promise<ChildProcessMeasurement>;
}

export interface ProcessComparisonDefinition {
  readonly title: string;
  /** The unit of the table, and the factor from `processedAmount` to this unit. */
  readonly unit: readonly [name: string, factor: number];
  readonly comparedPrograms: readonly ChildProcessBenchmark[];
  /** The minimum ratios of the speeds of two compared programs. */
  readonly ratioGoals: readonly (readonly [ours: string, other: string, ratio: number])[];
  /** The minimum speeds of compared programs, in the unit of the table. */
  readonly speedGoals?: readonly (readonly [ours: string, speed: number])[] | undefined;
  /** The maximum memory that a compared program may add, in MiB. */
  readonly memoryGoal?: readonly [ours: string, mib: number] | undefined;
}

interface MeasurementSummary {
  readonly name: string;
  readonly medianSpeed: number;
  readonly minSpeed: number;
  readonly maxSpeed: number;
  readonly medianCpuMs: number;
  readonly medianMemoryMiB: number;
}

/** Runs every compared program once per round and prints the median measurements. */
export async function measureAndPrintProcessSpeeds(
  {
    title,
    unit: [unit, factor],
    comparedPrograms: benchmarks,
    ratioGoals: goals,
    speedGoals = [],
    memoryGoal,
  }: ProcessComparisonDefinition,
  rounds: number,
): Promise<void> {
  const samples = benchmarks.map((): ChildProcessMeasurement[] => []);
  for (let round = 0; round < rounds; round++) {
    // The order of the programs changes in each round, so that no order favors one of them.
    for (const place of benchmarks.keys()) {
      const index = (place + round) % benchmarks.length;
      const taken = await benchmarks[index]?.run().catch(() => undefined);
      if (taken) samples[index]?.push(taken);
    }
  }
  const rows = benchmarks.map(({ name }, index) => summarizeMeasurements(name, samples[index] ?? [], factor));
  const findSummary = (wanted: string): MeasurementSummary | undefined =>
    rows.find(({ name }) => name === wanted);
  const text = formatTable([
    [title, unit, "from", "to", "CPU µs each", "MiB more"],
    ...rows.map(
      ({ name, medianSpeed: speed, minSpeed: from, maxSpeed: to, medianCpuMs: cpu, medianMemoryMiB: rss }) =>
        [name].concat([speed, from, to, cpu, rss].map(formatNumber)),
    ),
  ]);
  const verdicts = goals.map(([ours, other, goal]) => {
    const ratio =
      (findSummary(ours)?.medianSpeed ?? Number.NaN) / (findSummary(other)?.medianSpeed ?? Number.NaN);
    return `${ours} ÷ ${other}: ${ratio.toFixed(2)}, goal ${goal} ${ratio >= goal ? "reached" : "MISSED"}`;
  });
  for (const [ours, goal] of speedGoals) {
    const { medianSpeed: speed = Number.NaN } = findSummary(ours) ?? {};
    verdicts.push(
      `${ours}: ${formatNumber(speed)} ${unit}, goal ${goal} ${speed >= goal ? "reached" : "MISSED"}`,
    );
  }
  if (memoryGoal) {
    const [ours, goal] = memoryGoal;
    const most = findSummary(ours)?.medianMemoryMiB ?? Number.NaN;
    verdicts.push(
      `${ours}: adds ${formatNumber(most)} MiB of memory, goal ${goal} ${most <= goal ? "reached" : "MISSED"}`,
    );
  }
  process.stdout.write(`\n${[text, ...verdicts].join("\n")}\n`);
}

/** Returns the medians of a compared program's measurements and the range of its speeds. */
function summarizeMeasurements(
  name: string,
  samples: readonly ChildProcessMeasurement[],
  factor: number,
): MeasurementSummary {
  const median = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
  const speeds = samples.map(({ durationMs: ms, processedAmount: done }) => (done * factor * 1000) / ms);
  return {
    name,
    medianSpeed: median(speeds),
    minSpeed: Math.min(...speeds),
    maxSpeed: Math.max(...speeds),
    medianCpuMs: median(samples.map(({ cpuMs, processedAmount: done }) => (cpuMs * 1000) / (done * factor))),
    medianMemoryMiB: median(samples.map(({ addedMemoryMiB: rssMiB }) => rssMiB)),
  };
}

function formatNumber(value: number): string {
  return Number.isFinite(value) ? value.toFixed(value < 100 ? 2 : 0) : "-";
}
