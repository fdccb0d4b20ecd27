import * as fc from "fast-check";

/** One thing that takes what others wrote: its inputs, and what has to hold for each. */
export interface Target<Input = unknown> {
  readonly name: string;
  readonly inputs: fc.Arbitrary<Input>;
  /** Inputs of about this many bytes that repeat one piece. The work may grow only linearly. */
  readonly ofSize: (piece: string, size: number) => Input;
  /** Throws when something does not hold. */
  readonly check: (input: Input) => void | Promise<void>;
  /** Does the work alone, for a clock. */
  readonly run: (input: Input) => unknown;
}

/** A target with any type of input. */
export interface AnyTarget {
  readonly name: string;
  /** Looks for inputs of which something does not hold. */
  search(bounds: Bounds): Promise<Finding | undefined>;
  /** The time of a repeated piece. */
  work(piece: string, size: number): () => unknown;
}

export interface Bounds {
  readonly seed: number;
  readonly runs: number;
  /** Ends the search early. */
  readonly milliseconds?: number;
}

/** A finding, with everything that is needed to reproduce it. */
export interface Finding {
  readonly target: string;
  readonly seed: number;
  readonly report: string;
}

export function target<Input>(definition: Target<Input>): AnyTarget {
  const { name, inputs, check, ofSize, run } = definition;
  return {
    name,
    async search({ seed, runs, milliseconds }) {
      const property = fc.asyncProperty(inputs, async (input) => {
        await check(input);
      });
      const details = await fc.check(property, {
        seed,
        numRuns: runs,
        ...(milliseconds === undefined ? {} : { interruptAfterTimeLimit: milliseconds }),
      });
      if (!details.failed) return undefined;
      const { message } = details.errorInstance as Error;
      return { target: name, seed, report: `${message}\n${fc.defaultReportMessage(details) ?? ""}` };
    },
    work(piece, size) {
      const input = ofSize(piece, size);
      return () => run(input);
    },
  };
}
