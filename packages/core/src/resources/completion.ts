/** The promise of a resource's end. Created on first use, because most callers do not use the promise. */
export class Completion<T> {
  #promise: Promise<T> | undefined;
  #settle: { resolve: (value: T) => void; reject: (error: Error) => void } | undefined;
  #outcome: { readonly value: T } | { readonly error: Error } | undefined;

  get promise(): Promise<T> {
    if (this.#promise) return this.#promise;
    this.#promise = new Promise((resolve, reject) => {
      if (!this.#outcome) this.#settle = { resolve, reject };
      else if ("error" in this.#outcome) reject(this.#outcome.error);
      else resolve(this.#outcome.value);
    });
    // The entries or the body report the failure too. An unhandled rejection would report the failure twice.
    this.#promise.catch(() => undefined);
    return this.#promise;
  }

  get isSettled(): boolean {
    return this.#outcome !== undefined;
  }

  /** Settles the promise. Later calls of `resolve` and `reject` have no effect. */
  resolve(value: T): void {
    this.#outcome ??= { value };
    this.#settle?.resolve(value);
  }

  reject(error: Error): void {
    this.#outcome ??= { error };
    this.#settle?.reject(error);
  }
}
