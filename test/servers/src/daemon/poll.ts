import { setTimeout as delay } from "node:timers/promises";

const intervalMs = 15;

/**
 * Asks again and again until `check` gives true. Resolves with false when `timeoutMs` have passed first; an error
 * thrown by `check` ends the wait.
 */
export async function pollUntil(
  check: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    if (await check()) return true;
    if (Date.now() >= deadline) return false;
    await delay(intervalMs);
  }
}
