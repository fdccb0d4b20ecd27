import * as fc from "fast-check";

/** A parser of untrusted input: its inputs, and the conditions for each result. */
export interface Target<Input = unknown> {
  readonly name: string;
  readonly inputs: fc.Arbitrary<Input>;
  /** Returns an input of about this many bytes that repeats one piece. The work may grow only linearly. */
  readonly ofSize: (piece: string, size: number) => Input;
  /** Throws when a condition does not hold. */
  readonly check: (input: Input) => void | Promise<void>;
  /** Does the work without checks, for time measurements. */
  readonly run: (input: Input) => unknown;
}

/** A target with any type of input. */
export interface AnyTarget {
  readonly name: string;
  /** Searches for inputs that violate a condition. */
  search(bounds: Bounds): Promise<Finding | undefined>;
  /** Returns the work for a repeated piece. */
  work(piece: string, size: number): () => unknown;
}

export interface Bounds {
  readonly seed: number;
  readonly runs: number;
  /** The time limit of the search, in milliseconds. */
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
