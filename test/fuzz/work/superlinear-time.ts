import * as fc from "fast-check";
import type { FuzzTarget, FuzzFinding } from "../fuzz-target.ts";
import { createRepetitiveText, type TextsAroundRepetition } from "./repetitive-text.ts";

const SMALL_INPUT_SIZE = 16_384;
const LARGE_INPUT_BYTES = 8 * SMALL_INPUT_SIZE;
/**
 * For an input of 8 times the length, a linear parser takes 8 times as long, and a quadratic parser 64 times as long.
 */
const MAX_TIME_RATIO = 24;
/** Times below this value cannot be measured reliably. */
const MIN_MEASURABLE_MS = 100;

/** Generates one to four characters with a meaning in some protocol. A long input repeats the generated characters. */
const arbitraryRepeatedText = fc
  .array(fc.constantFrom(...Array.from("\r\n\t .-+:;,=()<>[]{}'\"%/\\|*?@#&\0\x7f\xc3\xff\xfa\xf00aA")), {
    minLength: 1,
    maxLength: 4,
  })
  .map((characters) => characters.join(""));

/** Searches for an input whose parsing time grows much faster than its length. */
export async function findSuperlinearTime(
  target: FuzzTarget,
  seed: number,
  runs: number,
): Promise<FuzzFinding | undefined> {
  const inputs = fc.tuple(arbitraryRepeatedText, fc.constantFrom(...target.textsAroundRepetition));
  for (const [pattern, place] of fc.sample(inputs, { seed, numRuns: runs })) {
    const ratio = await measureTimeRatio(target, pattern, place);
    if (ratio === undefined) continue;
    const text = JSON.stringify(createRepetitiveText(place, pattern, 3 * pattern.length));
    const report = `the time grows faster than the input: ${LARGE_INPUT_BYTES} bytes like ${text} take ${ratio.toFixed(0)} times as long as ${SMALL_INPUT_SIZE}`;
    return { targetName: target.name, seed, report };
  }
  return undefined;
}

/**
 * Returns the smallest of three measured ratios, or `undefined` when a ratio is below `MAX_TIME_RATIO` or a time is too
 * short. Three measurements compensate for the load of other processes.
 */
async function measureTimeRatio(
  target: FuzzTarget,
  pattern: string,
  place: TextsAroundRepetition,
): Promise<number | undefined> {
  let smallestRatio = Infinity;
  for (let round = 0; round < 3; round++) {
    const largeInputMs = await measureMilliseconds(
      target.prepareTimeMeasurement(pattern, LARGE_INPUT_BYTES, place),
    );
    if (largeInputMs < MIN_MEASURABLE_MS) return undefined;
    smallestRatio = Math.min(
      smallestRatio,
      largeInputMs /
        (await measureMilliseconds(target.prepareTimeMeasurement(pattern, SMALL_INPUT_SIZE, place))),
    );
    if (smallestRatio < MAX_TIME_RATIO) return undefined;
  }
  return smallestRatio;
}

async function measureMilliseconds(run: () => unknown): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
