import type { Inflow } from "@anyscheme/core/wire";

/** What the beginning of an answer was found to be, and how many of its octets that took. */
export interface Verdict<T> {
  readonly value: T;
  readonly length: number;
}

/** Judges the octets so far; `undefined` asks for more, which it may not do when they have ended. */
export type Judge<T> = (octets: Uint8Array, ended: boolean) => Verdict<T> | undefined;

/** Reads as much of an answer as `judge` needs, and puts back what it did not take. */
export async function judgeBeginning<T>(inflow: Inflow, judge: Judge<T>): Promise<T> {
  let octets: Uint8Array = new Uint8Array(0);
  let verdict: Verdict<T> | undefined;
  let ended = false;
  while (!verdict) {
    const state = await inflow.read((piece) => {
      octets = Buffer.concat([octets, piece]);
      verdict = judge(octets, false);
      return verdict === undefined;
    });
    if (ended && !verdict) throw new Error("the judge asks for more than there is");
    ended = state === "end";
    if (ended) verdict ??= judge(octets, true);
  }
  inflow.unread(octets.subarray(verdict.length));
  return verdict.value;
}
