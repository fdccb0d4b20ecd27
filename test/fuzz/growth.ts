import * as fc from "fast-check";
import type { AnyTarget, Finding } from "./target.ts";

const SMALL = 16_384;
const LARGE = 8 * SMALL;
/** The input grows by a factor of 8. The time of quadratic work then grows by 64, that of linear work by 8. */
const WORST_RATIO = 24;
/** Shorter times cannot be measured reliably. */
const LEAST_MS = 100;

/** One to four characters with a meaning in some protocol. */
const pieces = fc
  .array(fc.constantFrom(...Array.from("\r\n\t .-+:;,=()<>[]{}'\"%/\\|*?@#&\0\x7f\xc3\xff\xfa\xf00aA")), {
    minLength: 1,
    maxLength: 4,
  })
  .map((characters) => characters.join(""));

/** Looks for input whose time grows much faster than its length. */
export async function searchGrowth(
  target: AnyTarget,
  seed: number,
  runs: number,
): Promise<Finding | undefined> {
  for (const piece of fc.sample(pieces, { seed, numRuns: runs })) {
    const ratio = await growth(target, piece);
    if (ratio === undefined) continue;
    const report = `the work grows too fast: ${LARGE} bytes of ${JSON.stringify(piece)} take ${ratio.toFixed(0)} times as long as ${SMALL}`;
    return { target: target.name, seed, report };
  }
  return undefined;
}

/** Returns the smallest of three ratios, or undefined when one is small enough. Other processes may slow a measurement. */
async function growth(target: AnyTarget, piece: string): Promise<number | undefined> {
  let least = Infinity;
  for (let round = 0; round < 3; round++) {
    const large = await time(target.work(piece, LARGE));
    if (large < LEAST_MS) return undefined;
    least = Math.min(least, large / (await time(target.work(piece, SMALL))));
    if (least < WORST_RATIO) return undefined;
  }
  return least;
}

async function time(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
