import { setTimeout as delay } from "node:timers/promises";

const pollIntervalMs = 15;

/**
 * Calls `check` repeatedly until it returns true. Resolves to false when `check` has not returned true after
 * `timeoutMs`. Rejects when `check` throws.
 */
export async function pollUntilTrueOrTimeout(
  check: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    if (await check()) return true;
    if (Date.now() >= deadline) return false;
    await delay(pollIntervalMs);
  }
}
