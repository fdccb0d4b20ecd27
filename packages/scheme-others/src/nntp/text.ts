// RFC 3977 §10: text is UTF-8; what is older is taken for Latin-1.
export { decoded as textOf, latin1Of } from "@anyscheme/core";

/** A message identifier without its "<" and ">", as news URLs have it. */
export function unbracketed(id: string): string {
  return id.startsWith("<") && id.endsWith(">") ? id.slice(1, -1) : id;
}

/** The message identifiers in a field, without their "<" and ">". */
export function identifiersIn(text: string): string[] {
  const found: string[] = [];
  for (let start = text.indexOf("<"); start >= 0; start = text.indexOf("<", start + 1)) {
    const end = text.indexOf(">", start);
    if (end < 0) break;
    // Of "<a<b@x>" only the last part can be one.
    start = text.lastIndexOf("<", end);
    found.push(text.slice(start + 1, end));
    start = end;
  }
  return found;
}

const MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";
const ZONES: Readonly<Record<string, number>> = {
  UT: 0,
  GMT: 0,
  UTC: 0,
  Z: 0,
  EST: -300,
  EDT: -240,
  CST: -360,
  CDT: -300,
  MST: -420,
  MDT: -360,
  PST: -480,
  PDT: -420,
};
// date-time = [ day-of-week "," ] date time [CFWS]            RFC 5322 §3.3, with the old years and zones of §4.3
const DATE_TIME =
  /^\s*(?:[A-Za-z]{3,9},?\s+)?(\d{1,2})\s+([A-Za-z]{3})[A-Za-z]*\s+(\d{2,4})\s+(\d{1,2}):(\d\d)(?::(\d\d))?(?:\s+([+-]\d{4}|[A-Za-z]{1,5}))?/;

/** The time of a Date field; `undefined` for what is none. A zone that is not known counts as UTC, as RFC 5322 §4.3 asks. */
export function dateOf(text: string): Date | undefined {
  const [, day, month = "", year = "", hour, minute, second, zone = "UTC"] = DATE_TIME.exec(text) ?? [];
  const monthIndex = MONTHS.indexOf(month.toLowerCase()) / 3;
  if (day === undefined || !Number.isInteger(monthIndex) || monthIndex < 0) return undefined;
  if (Number(day) > 31 || Number(hour) > 23 || Number(minute) > 59 || Number(second ?? 0) > 60)
    return undefined;
  const fullYear =
    Number(year) + (year.length === 4 ? 0 : year.length === 3 || Number(year) >= 50 ? 1900 : 2000);
  const utc = Date.UTC(fullYear, monthIndex, Number(day), Number(hour), Number(minute), Number(second ?? 0));
  return new Date(utc - offsetOf(zone) * 60_000);
}

/** Minutes east of Greenwich. */
function offsetOf(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  if (sign === undefined) return ZONES[zone.toUpperCase()] ?? 0;
  const offset = Number(hours) * 60 + Number(minutes);
  return sign === "-" ? -offset : offset;
}
