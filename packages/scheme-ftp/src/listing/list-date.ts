import { utcDate } from "@anyscheme/core/plugin";

const MONTHS: readonly string[] = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const DAY_MS = 86_400_000;

// Matches `Nov 20 21:09` and `Nov 20 2025`, and the same with the day first.
const NAMED = /^(?:(\d{1,2}) +([A-Za-z]{3})|([A-Za-z]{3}) +(\d{1,2})) +(?:(\d{4})|(\d{1,2}):(\d\d))$/;
// Matches `2026-11-20 21:09`.
const ISO = /^(\d{4})-(\d\d)-(\d\d) +(\d{1,2}):(\d\d)$/;
// Matches `11-20-26 09:09PM` and `11-20-2026 21:09`.
const DOS = /^(\d\d)-(\d\d)-(\d\d|\d{4}) +(\d{1,2}):(\d\d)([AP]M)?$/i;

/**
 * Parses the date of a LIST line as UTC. Returns undefined for an unknown format or an impossible date. A date
 * without a year is the most recent such date. Tomorrow is allowed, because the server may be in another time zone.
 */
export function parseListDate(text: string, now: Date): Date | undefined {
  return parseNamed(text, now) ?? parseIso(text) ?? parseDos(text);
}

function parseNamed(text: string, now: Date): Date | undefined {
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

function parseIso(text: string): Date | undefined {
  const match = ISO.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour, minute] = match.slice(1).map(Number);
  return utcDate(year, month, day, hour, minute);
}

function parseDos(text: string): Date | undefined {
  const match = DOS.exec(text);
  if (!match) return undefined;
  const [month = 0, day = 0, year = 0, hours = 0, minute = 0] = match.slice(1, 6).map(Number);
  const half = match[6]?.toUpperCase();
  // A year of two digits is between 1970 and 2069.
  const century = year >= 100 ? 0 : year < 70 ? 2000 : 1900;
  if (half !== undefined && (hours < 1 || hours > 12)) return undefined;
  const hour = half === undefined ? hours : (hours % 12) + (half === "PM" ? 12 : 0);
  return utcDate(century + year, month, day, hour, minute);
}
