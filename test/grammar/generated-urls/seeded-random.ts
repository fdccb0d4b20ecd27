/** A generator of pseudo-random numbers, whose seed determines the sequence. */
export class SeededRandom {
  readonly seed: number;
  #state: number;

  /** Creates a generator. The seed is an unsigned integer of 32 bits. */
  constructor(seed: number) {
    this.seed = seed >>> 0;
    this.#state = this.seed;
  }

  /** Returns a pseudo-random integer from 0 to `count - 1`. */
  nextIntegerBelow(count: number): number {
    return Math.floor((this.#next() / 0x1_0000_0000) * count);
  }

  /** Returns a pseudo-random item. */
  pickItem<T>(items: readonly [T, ...T[]]): T {
    return items[this.nextIntegerBelow(items.length)] ?? items[0];
  }

  // Returns the next number of SplitMix32, which is random enough for the choice of test texts.
  #next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }
}
