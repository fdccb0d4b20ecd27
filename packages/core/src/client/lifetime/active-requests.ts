import { AccessError } from "../../errors/access-error.ts";
import type { Lifetime } from "./lifetime.ts";

/** The running requests of a client: unsettled calls and open resources. */
export class ActiveRequests {
  readonly #lifetimes = new Set<Lifetime>();
  #pendingCalls = 0;
  #drained: PromiseWithResolvers<void> | undefined;
  #abortReason: (() => Error) | undefined;

  /** Throws `aborted` after {@link drain}. */
  checkOpen(): void {
    if (this.#drained) throw new AccessError("aborted", "the client is closed");
  }

  /** Counts a call as running until it settles. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    this.#pendingCalls++;
    try {
      return await call();
    } finally {
      this.#pendingCalls--;
      this.#checkDrained();
    }
  }

  add(lifetime: Lifetime): void {
    if (this.#abortReason) lifetime.abort(this.#abortReason());
    this.#lifetimes.add(lifetime);
  }

  remove(lifetime: Lifetime): void {
    this.#lifetimes.delete(lifetime);
    this.#checkDrained();
  }

  /** Resolves when no request is running. After this call, `checkOpen` throws. */
  drain(): Promise<void> {
    this.#drained ??= Promise.withResolvers();
    this.#checkDrained();
    return this.#drained.promise;
  }

  /** Aborts the running requests, and every later request when it starts. */
  abort(reason: () => Error): void {
    this.#abortReason = reason;
    for (const lifetime of this.#lifetimes) lifetime.abort(reason());
  }

  #checkDrained(): void {
    if (this.#pendingCalls === 0 && this.#lifetimes.size === 0) this.#drained?.resolve();
  }
}
