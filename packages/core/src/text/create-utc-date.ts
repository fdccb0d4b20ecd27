/**
 * Returns the date with the given year, month, day and time in UTC. `month` counts from 1. Returns `undefined` for a
 * date that does not exist, such as 31 February, and for a year outside 1 to 9999. The second 60 is a leap second (RFC
 * 3339 §5.7) and counts as the first second of the next minute.
 */
export function createUtcDate(
  year: number,
  month: number,
  day: number,
  hour = 0,
  minute = 0,
  second = 0,
  millisecond = 0,
): Date | undefined {
  const areInRange =
    isIntegerBetween(year, 1, 9999) &&
    isIntegerBetween(month, 1, 12) &&
    isIntegerBetween(day, 1, 31) &&
    isIntegerBetween(hour, 0, 23) &&
    isIntegerBetween(minute, 0, 59) &&
    isIntegerBetween(second, 0, 60) &&
    isIntegerBetween(millisecond, 0, 999);
  if (!areInRange) return undefined;
  // `Date.UTC` interprets a year below 100 as a year of the twentieth century.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // `setUTCFullYear` converts a day after the end of the month to a day of the next month.
  if (date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second, millisecond);
  return date;
}

function isIntegerBetween(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
