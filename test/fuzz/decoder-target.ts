import { isDeepStrictEqual } from "node:util";
import { AccessError, type ClientLimits } from "@anyscheme/core";
import { mergeLimits } from "@anyscheme/core/plugin";
import { type FuzzTarget, createFuzzTarget } from "./fuzz-target.ts";
import {
  type InputWithSplitPositions,
  arbitraryInputsWithSplitPositions,
  encodeLatin1,
  splitAtPositions,
} from "./mutated-samples.ts";
import { ALL_LIMITS } from "../fixtures/all-limits.ts";
import { createRepetitiveText, listTextsAroundRepetition } from "./work/repetitive-text.ts";

/** A decoder that is fuzzed. */
export interface FuzzedDecoder {
  readonly name: string;
  /** Data such as servers send, with one character per byte. */
  readonly samples: readonly string[];
  /**
   * Yields the decoded values of the given chunks. When decoding fails, the iteration first yields the values decoded
   * before the error, and then throws the error. An error other than `AccessError` makes the fuzz test fail.
   */
  readonly decode: (
    chunks: readonly Uint8Array[],
    limits: ClientLimits,
  ) => AsyncIterable<unknown> | Iterable<unknown>;
}

/**
 * Client limits that are so low that mutated samples of server replies exceed them. The limit for entries of a listing
 * is checked for each chunk, so the number of entries before the error depends on the chunks.
 */
const LOW_DECODER_LIMITS: ClientLimits = mergeLimits(
  {
    maxReplyLineBytes: 200,
    maxReplyBytes: 600,
    maxListingEntries: 20,
    maxListingLineBytes: 400,
    maxGopherLineBytes: 200,
    maxFormQuestions: 4,
    maxNntpLineBytes: 400,
    maxHeaderBytes: 900,
    maxHeaderLines: 20,
    maxInterimResponses: 2,
    maxWaisApduBytes: 3_000,
    maxSubnegotiationBytes: 30,
  },
  ALL_LIMITS,
);

/** Limits that allow a repetitive input in a single line, so that the parsing time of a long line is measured too. */
const HIGH_DECODER_LIMITS: ClientLimits = mergeLimits(
  {
    maxReplyLineBytes: 16_777_216,
    maxReplyBytes: 16_777_216,
    maxListingLineBytes: 16_777_216,
    maxGopherLineBytes: 16_777_216,
    maxNntpLineBytes: 16_777_216,
    maxHeaderBytes: 16_777_216,
    maxHeaderLines: 1_000_000,
  },
  ALL_LIMITS,
);

/** The chunk size of the long inputs with which the decoding time is measured. */
const CHUNK_BYTES = 4_096;

/** The decoded values of an input, and the error after them. */
interface DecodeOutcome {
  readonly values: readonly unknown[];
  readonly failure: { readonly code: string; readonly limit: string | undefined } | undefined;
}

/**
 * Returns a fuzz target, which checks that a decoder throws only `AccessError`, and that it returns the same values
 * for every split of its input.
 */
export function createDecoderFuzzTarget(decoder: FuzzedDecoder): FuzzTarget {
  return createFuzzTarget<InputWithSplitPositions>({
    name: decoder.name,
    arbitraryInput: arbitraryInputsWithSplitPositions(decoder.samples),
    textsAroundRepetition: listTextsAroundRepetition(decoder.samples),
    createRepetitiveInput: (pattern, size, place) => ({
      text: createRepetitiveText(place, pattern, size),
      splitPositions: Array.from(
        { length: Math.floor(size / CHUNK_BYTES) },
        (_, index) => (index + 1) * CHUNK_BYTES,
      ),
    }),
    async checkParsingResult(input) {
      const whole = await decodeChunks(decoder, [input.text]);
      expectSameDecodedValues(
        whole,
        await decodeChunks(decoder, splitAtPositions(input)),
        "split into chunks",
      );
      expectSameDecodedValues(
        whole,
        await decodeChunks(decoder, Array.from(input.text)),
        "split into single bytes",
      );
    },
    runWithoutChecks: (input) => decodeChunks(decoder, splitAtPositions(input), HIGH_DECODER_LIMITS),
  });
}

async function decodeChunks(
  { decode }: FuzzedDecoder,
  chunks: readonly string[],
  limits: ClientLimits = LOW_DECODER_LIMITS,
): Promise<DecodeOutcome> {
  const values: unknown[] = [];
  try {
    for await (const value of decode(chunks.map(encodeLatin1), limits)) values.push(value);
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    return { values, failure: { code: error.code, limit: error.limit } };
  }
  return { values, failure: undefined };
}

function expectSameDecodedValues(expected: DecodeOutcome, actual: DecodeOutcome, split: string): void {
  if (isDeepStrictEqual(expected, actual)) return;
  throw new Error(
    `the input ${split} gives another result:\n${JSON.stringify(expected)}\n${JSON.stringify(actual)}`,
  );
}

/** Throws an error with the given message when a condition is false. */
export function assertCondition(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}
