import type { SocketReader } from "@anyscheme/core/wire";

/** What the beginning of an answer was found to be, and how many of its octets that took. */
export interface Verdict<T> {
  readonly value: T;
  readonly length: number;
}

/** Judges the octets so far; `undefined` asks for more, which it may not do when they have ended. */
export type Judge<T> = (octets: Uint8Array, ended: boolean) => Verdict<T> | undefined;

const NOTHING = new Uint8Array(0);

/** Reads as much of an answer as `judge` needs, and puts back what it did not take. */
export async function judgeBeginning<T>(inflow: SocketReader, judge: Judge<T>): Promise<T> {
  let octets: Uint8Array = NOTHING;
  let verdict: Verdict<T> | undefined;
  const take = (piece: Uint8Array, ended: boolean): boolean => {
    const whole = octets.length === 0 ? piece : Buffer.concat([octets, piece]);
    verdict = judge(whole, ended);
    // What was read is ours only until this returns.
    if (verdict) inflow.unread(whole.subarray(verdict.length));
    else octets = Buffer.from(whole);
    return verdict === undefined;
  };
  const state = await inflow.read((piece) => take(piece, false));
  if (state === "end" && !verdict) take(NOTHING, true);
  if (!verdict) throw new Error("the judge asks for more than there is");
  return verdict.value;
}
