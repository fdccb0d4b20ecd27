import * as fastCheck from "../../node_modules/fast-check/lib/fast-check.js";

/** A mutant that passes this many runs of a property counts as a survivor. */
const MOST_RUNS = 200;

export * from "../../node_modules/fast-check/lib/fast-check.js";

/** Runs a property with fewer runs, since they are repeated for every mutant. */
export const assert = ((
  property: fastCheck.IRawProperty<unknown>,
  parameters?: fastCheck.Parameters<unknown>,
) =>
  fastCheck.assert(property, {
    ...parameters,
    numRuns: Math.min(parameters?.numRuns ?? MOST_RUNS, MOST_RUNS),
  })) as typeof fastCheck.assert;
