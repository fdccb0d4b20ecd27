import * as fc from "fast-check";
import { type TextsAroundRepetition, NO_TEXT_AROUND_REPETITION } from "./work/repetitive-text.ts";

/** The definition of a fuzz target: a parser of untrusted input, and the checks of its results. */
export interface FuzzTargetDefinition<Input = unknown> {
  readonly name: string;
  readonly arbitraryInput: fc.Arbitrary<Input>;
  /**
   * Returns an input of about `size` bytes that repeats the pattern at the given place. The parsing time may grow only
   * linearly with the size.
   */
  readonly createRepetitiveInput: (pattern: string, size: number, place: TextsAroundRepetition) => Input;
  /**
   * The texts before and after the repeated pattern of an input. By default, the fuzz input consists only of the
   * repeated pattern.
   */
  readonly textsAroundRepetition?: readonly TextsAroundRepetition[];
  /** Parses the input, and throws an error when the result is wrong. */
  readonly checkParsingResult: (input: Input) => void | Promise<void>;
  /** Parses the input without checks, so that only the parser's time is measured. */
  readonly runWithoutChecks: (input: Input) => unknown;
}

/** A fuzz target without a type parameter for its input. */
export interface FuzzTarget {
  readonly name: string;
  /** Searches for an input for which the parser throws or returns a wrong result. */
  findFailingInput(bounds: FuzzSearchBounds): Promise<FuzzSearchResult>;
  readonly textsAroundRepetition: readonly TextsAroundRepetition[];
  /** Returns a function that parses an input of about `size` bytes, which repeats the pattern at the place. */
  prepareTimeMeasurement(pattern: string, size: number, place: TextsAroundRepetition): () => unknown;
}

/** The seed and the bounds of one search of a fuzz target. */
export interface FuzzSearchBounds {
  readonly seed: number;
  readonly maxInputs: number;
  /** The time limit of the search in milliseconds. Absent: no limit. */
  readonly maxMilliseconds?: number;
}

/** The result of one search: the number of checked inputs, and the finding if a check failed. */
export interface FuzzSearchResult {
  readonly inputCount: number;
  readonly finding?: FuzzFinding | undefined;
}

/** A failed check of a fuzz target, with the seed that reproduces it. */
export interface FuzzFinding {
  readonly targetName: string;
  readonly seed: number;
  readonly report: string;
}

/** Creates a fuzz target, which generates its inputs with fast-check. */
export function createFuzzTarget<Input>(definition: FuzzTargetDefinition<Input>): FuzzTarget {
  const {
    name,
    arbitraryInput,
    checkParsingResult: check,
    createRepetitiveInput,
    runWithoutChecks,
    textsAroundRepetition = [NO_TEXT_AROUND_REPETITION],
  } = definition;
  return {
    name,
    textsAroundRepetition,
    async findFailingInput({ seed, maxInputs, maxMilliseconds }) {
      const property = fc.asyncProperty(arbitraryInput, async (input) => {
        await check(input);
      });
      const details = await fc.check(property, {
        seed,
        numRuns: maxInputs,
        ...(maxMilliseconds === undefined ? {} : { interruptAfterTimeLimit: maxMilliseconds }),
      });
      const inputCount = details.numRuns;
      if (!details.failed) return { inputCount };
      const { message } = details.errorInstance as Error;
      const report = `${message}\n${fc.defaultReportMessage(details) ?? ""}`;
      return { inputCount, finding: { targetName: name, seed, report } };
    },
    prepareTimeMeasurement(pattern, size, place) {
      const input = createRepetitiveInput(pattern, size, place);
      return () => runWithoutChecks(input);
    },
  };
}
