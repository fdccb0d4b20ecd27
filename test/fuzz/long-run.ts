import { searchGrowth } from "./growth.ts";
import type { Finding } from "./target.ts";
import { targets } from "./targets.ts";

export interface LongRun {
  readonly minutes: number;
  /** The seed of the first round. Each round increments it. */
  readonly seed: number;
  /** Selects targets whose names contain this text. */
  readonly only?: string | undefined;
  readonly log: (line: string) => void;
}

/** The time for one target before the next one, in milliseconds. */
const TURN_MS = 2_000;
/** A large number, so that the time limit ends a turn. */
const RUNS = 1_000_000;
const PIECES = 4;

/**
 * Fuzzes all targets in turn until the time is over. Returns the findings, and skips a target after its first
 * finding.
 */
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
