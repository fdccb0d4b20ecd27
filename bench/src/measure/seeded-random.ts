/** A pseudo-random generator that returns the same numbers on every machine for the same seed. */
export interface SeededRandom {
  /** Returns an integer from 0 up to, but not including, `limit`. */
  integerBelow(limit: number): number;
  /** Returns true with a probability of 1 in `times`. */
  trueOneTimeIn(times: number): boolean;
  pickFrom<T>(list: readonly T[]): T;
}

/** Returns a mulberry32 pseudo-random generator with 32 bits of state. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  function nextIntegerBelow(limit: number): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }
  return {
    integerBelow: nextIntegerBelow,
    trueOneTimeIn: (times) => nextIntegerBelow(times) === 0,
    pickFrom(list) {
      const picked = list[nextIntegerBelow(list.length)];
      if (picked === undefined) throw new RangeError("nothing to pick from");
      return picked;
    },
  };
}
