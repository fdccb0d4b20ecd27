import { formatTable } from "./format-table.ts";
import { createSeededRandom } from "./seeded-random.ts";

export interface SpeedBenchmark {
  readonly name: string;
  /** The number of bytes or URLs that one run of the measured function processes. */
  readonly unitsPerRun: number;
  /** Runs the measured function once and returns the number of URLs, entries or bytes that it found. */
  run(): number | Promise<number>;
  /** The speed that the measured function must reach, in millions of bytes or URLs per second. */
  readonly speedGoal?: number | undefined;
}

export interface SpeedResult {
  readonly name: string;
  /** The number of URLs, entries or bytes that one run of the measured function found. */
  readonly foundItemCount: number;
  /** The median speed over the rounds, in millions of bytes or URLs per second. */
  readonly speed: number;
  readonly slowestSpeed: number;
  readonly fastestSpeed: number;
  readonly speedGoal: number | undefined;
}

/** The number of runs per round. Only the fastest run of each round counts, since the first one has cold caches. */
const RUNS_PER_ROUND = 2;

/**
 * Runs every benchmark once per round, in random order, after a warm-up round. Returns the results per
 * benchmark.
 */
export async function runBenchmarksInterleaved<C, R>(
  benchmarks: readonly C[],
  rounds: number,
  runOnce: (benchmark: C) => Promise<R>,
): Promise<R[][]> {
  const random = createSeededRandom(rounds);
  const results = benchmarks.map((): R[] => []);
  for (let round = -1; round < rounds; round++) {
    const order = [...benchmarks.entries()].map((entry) => ({ entry, key: random.integerBelow(2 ** 31) }));
    for (const { entry } of order.toSorted((one, other) => one.key - other.key)) {
      const [index, benchmark] = entry;
      const result = await runOnce(benchmark);
      if (round >= 0) results[index]?.push(result);
    }
  }
  return results;
}

/** Returns the CPU time of the process, in milliseconds. */
export function readCpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Measures the speed of every benchmark in interleaved rounds. `readTimeMs` is the clock, by default that of
 * `performance.now`. With `readCpuTimeMs` as the clock, the time of other programs does not count.
 */
export async function measureBenchmarkSpeeds(
  benchmarks: readonly SpeedBenchmark[],
  rounds: number,
  readTimeMs: () => number = () => performance.now(),
): Promise<SpeedResult[]> {
  const found = new Map<SpeedBenchmark, number>();
  const speeds = await runBenchmarksInterleaved(benchmarks, rounds, async (benchmark) => {
    let leastMs = Infinity;
    for (let pass = 0; pass < RUNS_PER_ROUND; pass++) {
      const before = readTimeMs();
      found.set(benchmark, await benchmark.run());
      leastMs = Math.min(leastMs, readTimeMs() - before);
    }
    return benchmark.unitsPerRun / leastMs / 1000;
  });
  return benchmarks.map((benchmark, index) => {
    const sorted = (speeds[index] ?? []).toSorted((a, b) => a - b);
    const at = (place: number): number => sorted[Math.floor(place * (sorted.length - 1))] ?? 0;
    return {
      name: benchmark.name,
      speedGoal: benchmark.speedGoal,
      foundItemCount: found.get(benchmark) ?? 0,
      speed: at(0.5),
      slowestSpeed: at(0),
      fastestSpeed: at(1),
    };
  });
}

/** Formats a table of speeds with their ratio to the speed of a reference benchmark. */
export function formatSpeedTable(results: readonly SpeedResult[], reference: string): string {
  const base = results.find(({ name }) => name === reference)?.speed ?? Number.NaN;
  return formatTable([
    ["", "MB/s", "from", "to", `÷ ${reference}`, "goal", "found"],
    ...results.map(
      ({
        name,
        speed,
        slowestSpeed: slowest,
        fastestSpeed: fastest,
        speedGoal: goal,
        foundItemCount: found,
      }) => [
        name,
        speed.toFixed(0),
        slowest.toFixed(0),
        fastest.toFixed(0),
        `${(speed / base).toFixed(speed / base < 10 ? 2 : 0)}×`,
        goal === undefined ? "" : `${goal} ${speed >= goal ? "reached" : "MISSED"}`,
        String(found),
      ],
    ),
  ]);
}
