import { parseHttpDate } from "./http-date.ts";

/** The maximum delay of Retry-After: one year. */
const MAX_RETRY_AFTER_MS = 31_536_000_000;

/**
 * Returns the delay of a Retry-After header in milliseconds, at most one year. A date is compared with the Date header,
 * or with the clock of this machine if the response has no Date header. RFC 9110 §10.2.3.
 */
export function parseRetryAfterMs(value: string | undefined, date: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, MAX_RETRY_AFTER_MS);
  const then = parseHttpDate(value)?.getTime();
  const now = parseHttpDate(date)?.getTime() ?? Date.now();
  return then === undefined ? undefined : Math.min(Math.max(0, then - now), MAX_RETRY_AFTER_MS);
}
