import type { SocketReader } from "@anyscheme/core/io";

/** What the beginning of an answer was found to be, and how many of its bytes that took. */
export interface Verdict<T> {
  readonly value: T;
  readonly length: number;
}

/** Judges the bytes so far; `undefined` asks for more, which it may not do when they have ended. */
export type Judge<T> = (bytes: Uint8Array, ended: boolean) => Verdict<T> | undefined;

const NOTHING = new Uint8Array(0);

/** Reads as much of an answer as `judge` needs, and puts back what it did not take. */
export async function judgeBeginning<T>(inflow: SocketReader, judge: Judge<T>): Promise<T> {
  let bytes: Uint8Array = NOTHING;
  let verdict: Verdict<T> | undefined;
  const take = (piece: Uint8Array, ended: boolean): boolean => {
    const whole = bytes.length === 0 ? piece : Buffer.concat([bytes, piece]);
    verdict = judge(whole, ended);
    // What was read is ours only until this returns.
    if (verdict) inflow.unread(whole.subarray(verdict.length));
    else bytes = Buffer.from(whole);
    return verdict === undefined;
  };
  const state = await inflow.read((piece) => take(piece, false));
  if (state === "end" && !verdict) take(NOTHING, true);
  if (!verdict) throw new Error("the judge asks for more than there is");
  return verdict.value;
}
