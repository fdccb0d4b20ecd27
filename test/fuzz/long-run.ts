import { searchGrowth } from "./growth.ts";
import type { Finding } from "./target.ts";
import { targets } from "./targets.ts";

export interface LongRun {
  readonly minutes: number;
  /** The first one; each round takes the next. */
  readonly seed: number;
  /** Only the targets that have this in their names. */
  readonly only?: string | undefined;
  readonly log: (line: string) => void;
}

/** How long one target is looked at before the next one has its turn, in milliseconds. */
const TURN_MS = 2_000;
/** So many that the time ends a turn. */
const RUNS = 1_000_000;
const PIECES = 4;

/** Looks at all targets in turn until the time is over. Gives what was found; a target of which something was found is left out from then on. */
export async function runLong({ minutes, seed, only = "", log }: LongRun): Promise<readonly Finding[]> {
  const end = performance.now() + minutes * 60_000;
  const findings: Finding[] = [];
  let left = targets.filter(({ name }) => name.includes(only));
  log(`${left.length} targets, ${minutes} minutes, seed ${seed}`);
  for (let round = 0; left.length > 0 && performance.now() < end; round++) {
    for (const target of left) {
      const milliseconds = Math.min(TURN_MS, end - performance.now());
      if (milliseconds <= 0) break;
      const found =
        (await target.search({ seed: seed + round, runs: RUNS, milliseconds })) ??
        (await searchGrowth(target, seed + round, PIECES));
      if (!found) continue;
      findings.push(found);
      left = left.filter((other) => other !== target);
      log(`\n${found.target}, seed ${found.seed}:\n${found.report}\n`);
    }
    log(`round ${round + 1}: ${findings.length} findings`);
  }
  return findings;
}
