import { utcDate } from "@anyscheme/core/plugin";

// RFC 3977 §10: text is UTF-8; what is older is taken for Latin-1.
export { latin1ToText as textOf, bytesToLatin1 } from "@anyscheme/core/plugin";

/** A message identifier without its "<" and ">", as news URLs have it. */
export function stripAngleBrackets(id: string): string {
  return id.startsWith("<") && id.endsWith(">") ? id.slice(1, -1) : id;
}

/** The message identifiers in a field, without their "<" and ">". */
export function parseMessageIds(text: string): string[] {
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

/**
 * The time of a Date field; `undefined` for one that is none, and for an impossible date. A zone that is not known counts as UTC, as
 * RFC 5322 §4.3 asks.
 */
export function parseDate(text: string): Date | undefined {
  const [, day, name = "", yearText = "", hour, minute, second = "0", zone = "UTC"] =
    DATE_TIME.exec(text) ?? [];
  const month = MONTHS.indexOf(name.toLowerCase()) / 3 + 1;
  const offset = parseZone(zone);
  if (day === undefined || offset === undefined) return undefined;
  const local = utcDate(
    expandYear(yearText),
    month,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  return local && new Date(local.getTime() - offset * 60_000);
}

/** RFC 5322 §4.3: two digits count from 1950 to 2049, three from 1900. */
function expandYear(text: string): number {
  const year = Number(text);
  if (text.length === 4) return year;
  return year + (text.length === 3 || year >= 50 ? 1900 : 2000);
}

/** Minutes east of Greenwich; `undefined` for an offset that no clock has, as `+0160`. */
function parseZone(zone: string): number | undefined {
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  if (sign === undefined) return ZONES[zone.toUpperCase()] ?? 0;
  if (Number(minutes) > 59) return undefined;
  const offset = Number(hours) * 60 + Number(minutes);
  return sign === "-" ? -offset : offset;
}
