import { isDeepStrictEqual } from "node:util";
import { AccessError } from "@anyscheme/core";
import { type AnyTarget, target } from "./target.ts";
import { type Arrival, arrivalsLike, octetsOf, piecesOf } from "./octets.ts";

/** A decoder as the table has it. */
export interface Decoder {
  readonly name: string;
  /** What real servers sent, one character an octet. */
  readonly samples: readonly string[];
  /**
   * Gives what it makes of these pieces, one value after the other; what comes before an error is given before it is thrown.
   * Throws nothing but `AccessError`; anything else it throws is a finding.
   */
  decode(pieces: readonly Uint8Array[]): AsyncIterable<unknown> | Iterable<unknown>;
  /**
   * Whether an answer that is longer than a limit may end earlier when it comes in larger pieces: the decoder judges each piece before
   * it looks at it.
   */
  readonly judgesPieces?: boolean;
}

/** What became of an input. */
interface Outcome {
  readonly values: readonly unknown[];
  readonly failure: { readonly code: string; readonly limit: string | undefined } | undefined;
}

/** A decoder throws nothing but its own errors, and makes the same of the same octets in whatever pieces they come. */
export function decoderTarget(decoder: Decoder): AnyTarget {
  return target<Arrival>({
    name: decoder.name,
    inputs: arrivalsLike(decoder.samples),
    ofSize: (piece, size) => ({ text: piece.repeat(Math.ceil(size / piece.length)), cuts: [] }),
    async check(arrival) {
      const whole = await outcomeOf(decoder, [arrival.text]);
      expectSame(decoder, whole, await outcomeOf(decoder, piecesOf(arrival)), "in pieces");
      expectSame(decoder, whole, await outcomeOf(decoder, Array.from(arrival.text)), "octet by octet");
    },
    run: ({ text }) => outcomeOf(decoder, [text]),
  });
}

async function outcomeOf({ decode }: Decoder, pieces: readonly string[]): Promise<Outcome> {
  const values: unknown[] = [];
  try {
    for await (const value of decode(pieces.map(octetsOf))) values.push(value);
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    return { values, failure: { code: error.code, limit: error.limit } };
  }
  return { values, failure: undefined };
}

function expectSame({ judgesPieces = false }: Decoder, whole: Outcome, other: Outcome, how: string): void {
  const cut = judgesPieces && whole.failure?.code === "limit" && other.failure?.code === "limit";
  const count = cut ? Math.min(whole.values.length, other.values.length) : undefined;
  const [one, two] = [whole, other].map(({ values, failure }) => ({
    values: values.slice(0, count),
    failure: cut ? "limit" : failure,
  }));
  if (isDeepStrictEqual(one, two)) return;
  throw new Error(`${how} it is not the same:\n${JSON.stringify(one)}\n${JSON.stringify(two)}`);
}
