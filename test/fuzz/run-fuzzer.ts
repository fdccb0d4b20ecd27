import { findSuperlinearTime } from "./work/superlinear-time.ts";
import type { FuzzFinding, FuzzTarget } from "./fuzz-target.ts";

/** The options of `runFuzzer()`. */
export interface FuzzRunOptions {
  readonly targets: readonly FuzzTarget[];
  /** The time limit of the fuzzer's run in minutes. */
  readonly minutes: number;
  /** The number of inputs for each fuzz target. Default: only the time limits the run. */
  readonly inputsPerTarget?: number | undefined;
  /** The seed of the first round. Every further round increments the seed. */
  readonly seed: number;
  readonly log: (line: string) => void;
}

/** The time that one round of the fuzzer spends on one target. A run with the option `--count` has longer rounds. */
const MS_PER_TARGET = 2_000;
const MS_PER_TARGET_WITH_COUNT_OPTION = 30_000;
/** A number of inputs so large that the time limit ends the search first. */
const MAX_INPUTS_PER_ROUND = 1_000_000;
const PATTERNS_PER_ROUND = 4;

/**
 * Fuzzes targets in rounds, until the time is over or each target has checked its number of inputs. Returns the failed
 * checks, at most one for each fuzz target.
 */
export async function runFuzzer(options: FuzzRunOptions): Promise<readonly FuzzFinding[]> {
  const { targets, minutes, inputsPerTarget = Infinity, seed, log } = options;
  const end = performance.now() + minutes * 60_000;
  const msPerTarget = inputsPerTarget === Infinity ? MS_PER_TARGET : MS_PER_TARGET_WITH_COUNT_OPTION;
  const findings: FuzzFinding[] = [];
  const inputCounts = new Map(targets.map((target) => [target, 0]));
  const remainingTargets = new Set(targets);
  log(`${targets.length} targets, ${minutes} minutes, seed ${seed}`);
  for (let round = 0; remainingTargets.size > 0 && performance.now() < end; round++) {
    for (const target of remainingTargets) {
      const checked = inputCounts.get(target) ?? 0;
      const maxMilliseconds = Math.min(msPerTarget, end - performance.now());
      if (maxMilliseconds <= 0) break;
      const result = await target.findFailingInput({
        seed: seed + round,
        maxInputs: Math.min(MAX_INPUTS_PER_ROUND, inputsPerTarget - checked),
        maxMilliseconds,
      });
      const inputCount = checked + result.inputCount;
      inputCounts.set(target, inputCount);
      const finding = result.finding ?? (await findSuperlinearTime(target, seed + round, PATTERNS_PER_ROUND));
      if (finding) {
        findings.push(finding);
        log(`\n${finding.targetName}, seed ${finding.seed}:\n${finding.report}\n`);
      }
      if (finding || inputCount >= inputsPerTarget) remainingTargets.delete(target);
    }
    const total = [...inputCounts.values()].reduce((sum, count) => sum + count, 0);
    log(`round ${round + 1}: ${total} inputs, ${findings.length} findings`);
  }
  return findings;
}
