/**
 * Returns a promise that settles as `promise` does, or rejects with the reason of the signal when the signal aborts
 * first.
 */
export async function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** The pending read of a resource, which an abort ends even if its source never settles. */
export class AbortableRead {
  #reject: ((reason: Error) => void) | undefined;

  /**
   * Starts a read. The returned promise settles as the read of the source does, or rejects when {@link abort} is
   * called.
   */
  run<T>(read: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      read().then(resolve, reject);
    });
  }

  /** Rejects the pending read of the resource. The later result of the read is ignored. */
  abort(reason: Error): void {
    this.#reject?.(reason);
  }
}

/**
 * Waits for `ms` milliseconds. An abort throws the reason of the signal, unlike `timers/promises`, which throws an
 * `AbortError`.
 */
export function delay(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  return raceAbort(promise, signal).finally(() => clearTimeout(timer));
}
