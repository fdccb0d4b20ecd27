import { seeded } from "./random.ts";

export interface Contender {
  readonly name: string;
  /** The bytes or URLs of one run. */
  readonly amount: number;
  /** Runs once and returns the number of things found. */
  run(): number | Promise<number>;
  /** Goal in millions per second. */
  readonly goal?: number | undefined;
}

export interface Result {
  readonly name: string;
  readonly found: number;
  /** Median over the rounds, in millions of bytes or URLs per second. */
  readonly speed: number;
  readonly slowest: number;
  readonly fastest: number;
  readonly goal: number | undefined;
}

/** Runs per round, of which the fastest counts. The first run has cold caches. */
const PASSES = 2;

/** Runs every contender in every round, in random order, after one round of warm-up. */
export async function runRounds(contenders: readonly Contender[], rounds: number): Promise<Result[]> {
  const random = seeded(rounds);
  const speeds = contenders.map((): number[] => []);
  const found = contenders.map(() => 0);
  for (let round = -1; round < rounds; round++) {
    const order = contenders.map((_, index) => ({ index, key: random.below(2 ** 31) }));
    for (const { index } of order.toSorted((a, b) => a.key - b.key)) {
      const contender = contenders[index];
      if (!contender) continue;
      let least = Infinity;
      for (let pass = 0; pass < PASSES; pass++) {
        const before = performance.now();
        found[index] = await contender.run();
        least = Math.min(least, performance.now() - before);
      }
      if (round >= 0) speeds[index]?.push(contender.amount / least / 1000);
    }
  }
  return contenders.map(({ name, goal }, index) => {
    const sorted = (speeds[index] ?? []).toSorted((a, b) => a - b);
    const at = (place: number): number => sorted[Math.floor(place * (sorted.length - 1))] ?? 0;
    return { name, goal, found: found[index] ?? 0, speed: at(0.5), slowest: at(0), fastest: at(1) };
  });
}

/** Formats a table with the first column left-aligned and the others right-aligned. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join("  "),
    )
    .join("\n");
}

/** Formats results with their ratio to a reference. */
export function comparisonTable(results: readonly Result[], reference: string): string {
  const base = results.find(({ name }) => name === reference)?.speed ?? Number.NaN;
  return table([
    ["", "MB/s", "from", "to", `÷ ${reference}`, "goal", "found"],
    ...results.map(({ name, speed, slowest, fastest, goal, found }) => [
      name,
      speed.toFixed(0),
      slowest.toFixed(0),
      fastest.toFixed(0),
      `${(speed / base).toFixed(speed / base < 10 ? 2 : 0)}×`,
      goal === undefined ? "" : `${goal} ${speed >= goal ? "reached" : "MISSED"}`,
      String(found),
    ]),
  ]);
}
