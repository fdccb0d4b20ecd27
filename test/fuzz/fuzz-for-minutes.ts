import { findSuperlinearTime } from "./superlinear-time.ts";
import type { FuzzFinding } from "./fuzz-target.ts";
import { FUZZ_TARGETS } from "./fuzz-targets.ts";

/** The options of `fuzzForMinutes()`. */
export interface FuzzRunOptions {
  readonly minutes: number;
  /** The seed of the first round. Every further round increments the seed. */
  readonly seed: number;
  /** Only targets whose names contain this text are fuzzed. */
  readonly targetFilter?: string | undefined;
  readonly log: (line: string) => void;
}

/** The time that one round spends on one target. */
const MS_PER_TARGET = 2_000;
/** A number so large that the time limit ends the search first. */
const MAX_INPUTS_PER_TARGET = 1_000_000;
const PATTERNS_PER_ROUND = 4;

/** Fuzzes all targets in rounds until the time is over. Returns the findings, at most one for each target.
 */
export async function fuzzForMinutes({
  minutes,
  seed,
  targetFilter = "",
  log,
}: FuzzRunOptions): Promise<readonly FuzzFinding[]> {
  const end = performance.now() + minutes * 60_000;
  const findings: FuzzFinding[] = [];
  let remainingTargets = FUZZ_TARGETS.filter(({ name }) => name.includes(targetFilter));
  log(`${remainingTargets.length} targets, ${minutes} minutes, seed ${seed}`);
  for (let round = 0; remainingTargets.length > 0 && performance.now() < end; round++) {
    for (const target of remainingTargets) {
      const maxMilliseconds = Math.min(MS_PER_TARGET, end - performance.now());
      if (maxMilliseconds <= 0) break;
      const finding =
        (await target.findFailingInput({
          seed: seed + round,
          maxInputs: MAX_INPUTS_PER_TARGET,
          maxMilliseconds,
        })) ?? (await findSuperlinearTime(target, seed + round, PATTERNS_PER_ROUND));
      if (!finding) continue;
      findings.push(finding);
      remainingTargets = remainingTargets.filter((other) => other !== target);
      log(`\n${finding.targetName}, seed ${finding.seed}:\n${finding.report}\n`);
    }
    log(`round ${round + 1}: ${findings.length} findings`);
  }
  return findings;
}
