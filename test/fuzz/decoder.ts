import { isDeepStrictEqual } from "node:util";
import { AccessError, type ClientLimits } from "@anyscheme/core";
import { mergeLimits } from "@anyscheme/core/plugin";
import { type AnyTarget, target } from "./target.ts";
import { type Arrival, arrivalsLike, bytesOf, piecesOf } from "./arbitrary-bytes.ts";
import { ALL_LIMITS } from "../fixtures/all-limits.ts";

/** A decoder under test. */
export interface Decoder {
  readonly name: string;
  /** Data of real servers, one character per byte. */
  readonly samples: readonly string[];
  /**
   * Yields the results for these chunks, one by one. Yields the results before an error, and then throws the error.
   * Any error other than `AccessError` is a finding.
   */
  readonly decode: (
    pieces: readonly Uint8Array[],
    limits: ClientLimits,
  ) => AsyncIterable<unknown> | Iterable<unknown>;
}

/**
 * Limits so low that damaged samples reach them. The limit of a list is checked for each chunk, so the entries before
 * the error depend on the chunks.
 */
const TIGHT: ClientLimits = mergeLimits(
  {
    maxReplyLineBytes: 200,
    maxReplyBytes: 600,
    maxListingEntries: 20,
    maxListingLineBytes: 400,
    maxGopherLineBytes: 200,
    maxNntpLineBytes: 400,
    maxHeaderBytes: 900,
    maxHeaderLines: 20,
    maxInterimResponses: 2,
    maxWaisApduBytes: 3_000,
    maxSubnegotiationBytes: 30,
  },
  ALL_LIMITS,
);

/** The chunk size of long inputs. */
const PIECE_BYTES = 4_096;

/** The result of an input. */
interface Outcome {
  readonly values: readonly unknown[];
  readonly failure: { readonly code: string; readonly limit: string | undefined } | undefined;
}

/**
 * Returns the target of a decoder. A decoder throws only `AccessError`, and returns the same result for every split
 * of its input.
 */
export function decoderTarget(decoder: Decoder): AnyTarget {
  return target<Arrival>({
    name: decoder.name,
    inputs: arrivalsLike(decoder.samples),
    ofSize: (piece, size) => ({
      text: piece.repeat(Math.ceil(size / piece.length)),
      cuts: Array.from({ length: Math.floor(size / PIECE_BYTES) }, (_, index) => (index + 1) * PIECE_BYTES),
    }),
    async check(arrival) {
      const whole = await outcomeOf(decoder, [arrival.text]);
      expectSame(whole, await outcomeOf(decoder, piecesOf(arrival)), "in pieces");
      expectSame(whole, await outcomeOf(decoder, Array.from(arrival.text)), "byte by byte");
    },
    run: (arrival) => outcomeOf(decoder, piecesOf(arrival), ALL_LIMITS),
  });
}

async function outcomeOf(
  { decode }: Decoder,
  pieces: readonly string[],
  limits: ClientLimits = TIGHT,
): Promise<Outcome> {
  const values: unknown[] = [];
  try {
    for await (const value of decode(pieces.map(bytesOf), limits)) values.push(value);
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    return { values, failure: { code: error.code, limit: error.limit } };
  }
  return { values, failure: undefined };
}

function expectSame(one: Outcome, other: Outcome, how: string): void {
  if (isDeepStrictEqual(one, other)) return;
  throw new Error(`${how} it is not the same:\n${JSON.stringify(one)}\n${JSON.stringify(other)}`);
}

/** Throws when a condition of a decoder does not hold. */
export function hold(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}
