import { utcDate } from "@anyscheme/core/plugin";

const MONTHS: readonly string[] = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const DAY_MS = 86_400_000;

// Nov 20 21:09, Nov 20 2025, and with the day first
const NAMED = /^(?:(\d{1,2}) +([A-Za-z]{3})|([A-Za-z]{3}) +(\d{1,2})) +(?:(\d{4})|(\d{1,2}):(\d\d))$/;
// 2026-11-20 21:09
const ISO = /^(\d{4})-(\d\d)-(\d\d) +(\d{1,2}):(\d\d)$/;
// 11-20-26 09:09PM, 11-20-2026 21:09
const DOS = /^(\d\d)-(\d\d)-(\d\d|\d{4}) +(\d{1,2}):(\d\d)([AP]M)?$/i;

/**
 * The time in a line of LIST, taken to be UTC; `undefined` where it is impossible or in no known form. A day without a year is
 * the last such day, or tomorrow, for which a server in another time zone may have a file.
 */
export function parseListDate(text: string, now: Date): Date | undefined {
  return namedTime(text, now) ?? isoTime(text) ?? dosTime(text);
}

function namedTime(text: string, now: Date): Date | undefined {
  const [, dayFirst, monthSecond, monthFirst, daySecond, year, hour = 0, minute = 0] = NAMED.exec(text) ?? [];
  const month = MONTHS.indexOf((monthFirst ?? monthSecond ?? "").toLowerCase());
  if (month < 0) return undefined;
  const at = (inYear: number): Date | undefined =>
    utcDate(inYear, month + 1, Number(dayFirst ?? daySecond), Number(hour), Number(minute));
  if (year !== undefined) return at(Number(year));
  const thisYear = now.getUTCFullYear();
  const latestMs = now.getTime() + DAY_MS;
  return [thisYear + 1, thisYear, thisYear - 1].map(at).find((time) => time && time.getTime() <= latestMs);
}

function isoTime(text: string): Date | undefined {
  const found = ISO.exec(text);
  if (!found) return undefined;
  const [year = 0, month = 0, day = 0, hour, minute] = found.slice(1).map(Number);
  return utcDate(year, month, day, hour, minute);
}

function dosTime(text: string): Date | undefined {
  const found = DOS.exec(text);
  if (!found) return undefined;
  const [month = 0, day = 0, year = 0, hours = 0, minute = 0] = found.slice(1, 6).map(Number);
  const half = found[6]?.toUpperCase();
  // Two digits of a year are those of the century around 2000, as in the servers that write them.
  const century = year >= 100 ? 0 : year < 70 ? 2000 : 1900;
  if (half !== undefined && (hours < 1 || hours > 12)) return undefined;
  const hour = half === undefined ? hours : (hours % 12) + (half === "PM" ? 12 : 0);
  return utcDate(century + year, month, day, hour, minute);
}
