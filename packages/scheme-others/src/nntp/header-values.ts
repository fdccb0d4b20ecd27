import { createUtcDate } from "@anyscheme/core/plugin";

/** Removes the "<" and ">" around a message identifier, because news URLs have none. */
export function stripMessageIdBrackets(id: string): string {
  return id.startsWith("<") && id.endsWith(">") ? id.slice(1, -1) : id;
}

/** Returns the message identifiers in a header field, without "<" and ">". */
export function parseMessageIds(text: string): string[] {
  const found: string[] = [];
  for (let start = text.indexOf("<"); start >= 0; start = text.indexOf("<", start + 1)) {
    const end = text.indexOf(">", start);
    if (end < 0) break;
    // Only the last part of "<a<b@x>", "<b@x>", can be a message identifier.
    start = text.lastIndexOf("<", end);
    found.push(text.slice(start + 1, end));
    start = end;
  }
  return found;
}

const MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";
// date-time = [ day-of-week "," ] date time [CFWS] RFC 5322 §3.3, and the obsolete years and blanks of §4.3
const DATE_TIME_PATTERN =
  /^\s*(?:[A-Za-z]{3,9}(?:\s*,\s*|\s+))?(\d{1,2})\s+([A-Za-z]{3})[A-Za-z]*\s+(\d{2,4})\s+(\d{1,2})\s*:\s*(\d\d)(?:\s*:\s*(\d\d))?/;

/**
 * Parses a Date field. Returns `undefined` for an invalid date. An absent or unknown time zone counts as UTC (RFC 5322
 * §4.3).
 */
export function parseRfc5322Date(field: string): Date | undefined {
  const text = removeComments(field);
  const [dateTime = "", day, name = "", yearText = "", hour, minute, second = "0"] =
    DATE_TIME_PATTERN.exec(text) ?? [];
  const month = MONTHS.indexOf(name.toLowerCase()) / 3 + 1;
  const offset = parseTimeZone(text.slice(dateTime.length).trim());
  if (day === undefined || offset === undefined) return undefined;
  const local = createUtcDate(
    expandObsoleteYear(yearText),
    month,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  return local && new Date(local.getTime() - offset * 60_000);
}

/**
 * Replaces comments in a header field, which may be nested, with blanks (RFC 5322 §3.2.2). A comment in the header
 * field may lack its closing parenthesis.
 */
function removeComments(field: string): string {
  let depth = 0;
  return field.replace(/\\.|[()]|[^\\()]+/gs, (token) => {
    if (token === "(") depth++;
    const isOutside = depth === 0;
    if (token === ")" && depth > 0) depth--;
    return isOutside ? token : " ";
  });
}

/** Expands a year of two digits to 1950–2049, and a year of three digits to 1900–2899 (RFC 5322 §4.3). */
function expandObsoleteYear(text: string): number {
  const year = Number(text);
  if (text.length === 4) return year;
  return year + (text.length === 3 || year >= 50 ? 1900 : 2000);
}

/** Returns the minutes east of Greenwich, or `undefined` for a text that is no time zone, such as `+0160`. */
function parseTimeZone(text: string): number | undefined {
  const [, letter = "", season] = /^([ECMP])([SD])T(?!\S)/i.exec(text) ?? [];
  // RFC 5322 §4.3: EST is UTC-5, CST UTC-6, MST UTC-7 and PST UTC-8. The zones of daylight saving time are one hour
  // ahead.
  if (season) return -60 * (5 + "ECMP".indexOf(letter.toUpperCase())) + (/d/i.test(season) ? 60 : 0);
  const [, sign, hours, minutes] = /^([+-])(\d\d)([0-5]\d)(?!\S)/.exec(text) ?? [];
  if (sign === undefined) return /^[A-Za-z\s]*$/.test(text) ? 0 : undefined;
  const offset = Number(hours) * 60 + Number(minutes);
  return sign === "-" ? -offset : offset;
}
