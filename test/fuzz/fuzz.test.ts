import { describe, expect, it } from "vitest";
import { FUZZ_TARGETS } from "./fuzz-targets.ts";

/** The seed is fixed, so that failures are reproducible. The command `pnpm fuzz` uses a new seed for each run. */
const FUZZ_SEED = 1738;
const INPUTS_PER_TARGET = 400;

describe(`every parser of untrusted input survives random and malformed input (seed ${FUZZ_SEED})`, () => {
  it.each(FUZZ_TARGETS.map((target) => [target.name, target] as const))(
    "the checks of all inputs pass: %s",
    async (_, target) => {
      const { finding, inputCount } = await target.findFailingInput({
        seed: FUZZ_SEED,
        maxInputs: INPUTS_PER_TARGET,
      });
      expect(finding?.report).toBeUndefined();
      expect(inputCount).toBe(INPUTS_PER_TARGET);
    },
  );
});
