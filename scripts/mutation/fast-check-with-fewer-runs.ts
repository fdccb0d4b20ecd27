import * as fastCheck from "../../node_modules/fast-check/lib/fast-check.js";

/** The maximum number of runs of a property per mutant. A mutant that passes all runs counts as a survivor. */
const MAX_RUNS_PER_MUTANT = 200;

export * from "../../node_modules/fast-check/lib/fast-check.js";

/** Checks a property with at most `MAX_RUNS_PER_MUTANT` runs, since the check is repeated for every mutant. */
export const assert = ((
  property: fastCheck.IRawProperty<unknown>,
  parameters?: fastCheck.Parameters<unknown>,
) =>
  fastCheck.assert(property, {
    ...parameters,
    numRuns: Math.min(parameters?.numRuns ?? MAX_RUNS_PER_MUTANT, MAX_RUNS_PER_MUTANT),
  })) as typeof fastCheck.assert;
