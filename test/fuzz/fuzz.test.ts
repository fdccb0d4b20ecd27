import { describe, expect, it } from "vitest";
import { targets } from "./targets.ts";

/** A fixed seed, so that failures are reproducible. `pnpm fuzz` uses a new seed for each run. */
const SEED = 1738;
const RUNS = 400;

describe(`whatever strangers write (seed ${SEED})`, () => {
  it.each(targets.map((target) => [target.name, target] as const))("%s", async (_, target) => {
    const finding = await target.search({ seed: SEED, runs: RUNS });
    expect(finding?.report).toBeUndefined();
  });
});
