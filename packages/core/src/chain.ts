/** The place of a value in a {@link Chain}. */
export interface Link<T> {
  readonly value: T;
  previous: Link<T> | undefined;
  next: Link<T> | undefined;
}

/**
 * Values in the order in which they were added, for what comes and goes with every access. Of a `Set` that changes all the time, V8
 * keeps each outgrown table alive with the one that follows it, and with them whatever their entries lead to, until the next full
 * collection; what is taken out of a chain leads nowhere.
 */
export class Chain<T> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first?.value;
  }

  add(value: T): Link<T> {
    const link: Link<T> = { value, previous: this.#last, next: undefined };
    if (this.#last) this.#last.next = link;
    else this.#first = link;
    this.#last = link;
    this.#size++;
    return link;
  }

  /** Takes a link of this chain out of it. A link can be taken out once. */
  remove(link: Link<T>): void {
    const { previous, next } = link;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    link.previous = undefined;
    link.next = undefined;
    this.#size--;
  }

  /** The values at this moment, whatever happens to the chain meanwhile. */
  values(): T[] {
    const values: T[] = [];
    for (let link = this.#first; link; link = link.next) values.push(link.value);
    return values;
  }
}
