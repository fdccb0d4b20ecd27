import { createUtcDate } from "./create-utc-date.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const weekdaySource = "(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?";
const timeOfDaySource = "(?<hour>\\d{1,2}):(?<minute>\\d\\d):(?<second>\\d\\d)";

// Matches IMF-fixdate, rfc850-date, and mixtures of these two forms, which some servers send.
const dayFirstDatePattern = new RegExp(
  `^${weekdaySource}, +(?<day>\\d{1,2})[ -](?<month>[A-Z][a-z]{2})[ -](?<year>\\d\\d|\\d{4}) +${timeOfDaySource} GMT$`,
);
// asctime-date = day-name SP month SP ( 2DIGIT / ( SP 1DIGIT ) ) SP time-of-day SP year
const asctimeDatePattern = new RegExp(
  `^${weekdaySource} (?<month>[A-Z][a-z]{2}) +(?<day>\\d{1,2}) ${timeOfDaySource} (?<year>\\d{4})$`,
);

/** The maximum number of years by which a two-digit year is in the future. RFC 9110 §5.6.7. */
const MAX_YEARS_IN_FUTURE = 50;

/**
 * Returns the date of an HTTP-date in any of its three forms (RFC 9110 §5.6.7). Returns `undefined` for a text in
 * another form, and for a date that does not exist. `parseHttpDate` does not check that the weekday fits the date.
 */
export function parseHttpDate(text: string | undefined, now: Date = new Date()): Date | undefined {
  const { year = "", month = "", day, hour, minute, second } = parseDateFields(text);
  const dateIn = (inYear: number): Date | undefined =>
    createUtcDate(
      inYear,
      MONTHS.indexOf(month) + 1,
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
    );
  if (year.length !== 2) return dateIn(Number(year));
  const thisYear = now.getUTCFullYear();
  const inThisCentury = thisYear - (thisYear % 100) + Number(year);
  const latest = new Date(now);
  latest.setUTCFullYear(thisYear + MAX_YEARS_IN_FUTURE);
  const date = dateIn(inThisCentury);
  return date && date > latest ? dateIn(inThisCentury - 100) : date;
}

function parseDateFields(text = ""): Readonly<Record<string, string>> {
  return (dayFirstDatePattern.exec(text) ?? asctimeDatePattern.exec(text))?.groups ?? {};
}
