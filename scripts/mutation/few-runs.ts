import * as fastCheck from "../../node_modules/fast-check/lib/fast-check.js";

/** A mutant that lives through so many runs of a property counts as a survivor. */
const MOST_RUNS = 200;

export * from "../../node_modules/fast-check/lib/fast-check.js";

/** Properties with fewer runs: every mutant pays for all of them. */
export const assert = ((
  property: fastCheck.IRawProperty<unknown>,
  parameters?: fastCheck.Parameters<unknown>,
) =>
  fastCheck.assert(property, {
    ...parameters,
    numRuns: Math.min(parameters?.numRuns ?? MOST_RUNS, MOST_RUNS),
  })) as typeof fastCheck.assert;
