import { createUtcDate } from "@anyscheme/core/plugin";
import { type FileInfo, parseList } from "basic-ftp";
import type { FtpUrl } from "../syntax.ts";
import { createFtpEntry, createInvalidFtpEntry, type FtpEntry } from "./entry.ts";

/** Returns a parser for lines of a LIST listing in Unix or DOS format. */
export function createListLineParser(url: FtpUrl): (line: Uint8Array) => FtpEntry | undefined {
  const now = new Date();
  return (line) => {
    const text = escapeForParseList(line);
    if (LINE_WITHOUT_ENTRY.test(text)) return undefined;
    const info = parseListLine(text);
    if (info === "invalid")
      return createInvalidFtpEntry(line, "the line has neither the Unix format nor the DOS format");
    if (!info) return undefined;
    if (info.name === "") return createInvalidFtpEntry(line, "the line contains no file name");
    const size = Number.isSafeInteger(info.size) ? info.size : undefined;
    const modified = parseListDate(info.rawModifiedAt, now);
    return createFtpEntry(url, unescapeFromParseList(info.name), {
      kind: getEntryKind(info, text),
      size,
      modified,
    });
  };
}

// Matches the lines of a LIST listing that describe no file: an empty line, and the block count, as in "total 16".
const LINE_WITHOUT_ENTRY = /^(?: *|total\b.*)$/;

/** Parses a LIST line with basic-ftp. Returns undefined for `.` and `..`. */
function parseListLine(text: string): FileInfo | "invalid" | undefined {
  try {
    const [info] = parseList(text);
    // parseList skips every line that begins with "total".
    if (!info) return text.startsWith("total") ? "invalid" : undefined;
    return isUnixOrDosFormat(info) ? info : "invalid";
  } catch {
    return "invalid";
  }
}

const DOS_DATE = /^\d\d[-/.]\d\d[-/.]\d{2,4} /;

/**
 * False for a line that parseList misinterprets. parseList accepts two words that begin with two digits as a DOS date,
 * and a line that begins with a space as MLSD.
 */
function isUnixOrDosFormat({ permissions, rawModifiedAt }: FileInfo): boolean {
  return permissions !== undefined || DOS_DATE.test(rawModifiedAt);
}

// parseList treats 0xA0 and some control characters as white space or line ends. The parser replaces each character
// that parseList would misread by a private use character with the same low eight bits.
const PRIVATE_USE_START = 0xe000;

// Matches the permissions of a Unix line and the mark after them: "." for an SELinux context, "@" for attributes of
// macOS. parseList knows only the mark "+".
const PERMISSIONS_WITH_MARK = /^([\w-]{10})[.@](?= )/;

function escapeForParseList(line: Uint8Array): string {
  const text = Buffer.from(line).toString("latin1").replace(PERMISSIONS_WITH_MARK, "$1+");
  return text.replace(/[\v\f\r\u00a0]/g, (character) =>
    String.fromCharCode(PRIVATE_USE_START + character.charCodeAt(0)),
  );
}

function unescapeFromParseList(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff);
}

// Matches a device, pipe or socket, which parseList returns as a file. The LIST line of a device contains two numbers
// in place of the size.
const SPECIAL_FILE_LINE = /^[\s\d]*[bcps][r-][w-]/;

function getEntryKind(info: FileInfo, text: string): FtpEntry["kind"] {
  if (info.isDirectory) return "directory";
  if (info.isSymbolicLink) return "link";
  if (SPECIAL_FILE_LINE.test(text)) return "special";
  return info.isFile ? "file" : "unknown";
}

const MONTHS: readonly string[] = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const DAY_MS = 86_400_000;

/**
 * Matches the dates of LIST lines: `Nov 20 2025`, `20 Nov 21:09`, `2026-11-20 21:09`, `11-20-26 09:09PM` and
 * `11-20-2026 21:09`.
 */
const DATE_FORMATS: readonly RegExp[] = [
  /^(?<month>[A-Z]{3}) +(?<day>\d{1,2}) +(?:(?<year>\d{4})|(?<hour>\d{1,2}):(?<minute>\d\d))$/i,
  /^(?<day>\d{1,2}) +(?<month>[A-Z]{3}) +(?:(?<year>\d{4})|(?<hour>\d{1,2}):(?<minute>\d\d))$/i,
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d) +(?<hour>\d{1,2}):(?<minute>\d\d)$/,
  /^(?<month>\d\d)-(?<day>\d\d)-(?<year>\d\d|\d{4}) +(?<hour>\d{1,2}):(?<minute>\d\d)(?<half>[AP]M)?$/i,
];

/**
 * Parses the date of a LIST line as UTC. Returns undefined for an unknown date format or an impossible date. A date
 * without a year means the most recent date with this day and month. The result may be up to one day in the future,
 * because the server may be in another time zone.
 */
export function parseListDate(text: string, now: Date): Date | undefined {
  for (const format of DATE_FORMATS) {
    const fields = format.exec(text)?.groups;
    if (!fields) continue;
    const { year, month = "", day, hour = "0", minute = "0", half } = fields;
    const monthNumber = /\d/.test(month) ? Number(month) : MONTHS.indexOf(month.toLowerCase()) + 1;
    if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)) return undefined;
    const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
    const inYear = (value: number): Date | undefined =>
      createUtcDate(value, monthNumber, Number(day), hours, Number(minute));
    if (year !== undefined) return inYear(parseYear(year));
    const thisYear = now.getUTCFullYear();
    const latestMs = now.getTime() + DAY_MS;
    const candidates = [thisYear + 1, thisYear, thisYear - 1].map(inYear);
    return candidates.find((time) => time && time.getTime() <= latestMs);
  }
  return undefined;
}

/** Returns the year in the date of a LIST line as a number. Two digits mean a year from 1970 to 2069. */
function parseYear(year: string): number {
  const value = Number(year);
  return year.length > 2 ? value : value + (value < 70 ? 2000 : 1900);
}
