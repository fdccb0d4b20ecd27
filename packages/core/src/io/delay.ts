/**
 * Waits for `ms` milliseconds. Throws the reason of the signal, unlike `timers/promises`, which throws an `AbortError`.
 */
export function delay(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = (): void => reject(signal.reason as Error);
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", abort, { once: true });
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  });
}
