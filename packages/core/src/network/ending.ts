/** Tells once that something is over, and why. Every `AbortSignal` does. */
export interface Ending {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/**
 * Aborts once, as an `AbortController` does, and makes a real signal only for who asks for one: on Node 20 a signal and its
 * listeners take as long as half a connection. For who ends many accesses, a server for example.
 */
export class EndingSource implements Ending {
  #listeners: (() => void)[] = [];
  #controller: AbortController | undefined;
  #aborted = false;
  #reason: unknown;

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    const listeners = this.#listeners;
    this.#listeners = [];
    this.#controller?.abort(reason);
    for (const listener of listeners) listener();
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    if (!this.#aborted && !this.#listeners.includes(listener)) this.#listeners.push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    const index = this.#listeners.lastIndexOf(listener);
    if (index >= 0) this.#listeners.splice(index, 1);
  }

  /**
   * Forgets who listens. V8 may make such a list where only full collections look, so that one that nobody needs any more keeps
   * alive whatever it leads to.
   */
  forget(): void {
    this.#listeners.length = 0;
  }
}
