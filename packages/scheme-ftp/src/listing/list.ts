import { type FileInfo, parseList } from "basic-ftp";
import { createEntry, createInvalidEntry } from "./entry.ts";
import { parseListDate } from "./list-date.ts";
import type { FtpEntry } from "./listing.ts";
import type { FtpUrl } from "../url/syntax.ts";

/** Returns a parser for lines of a LIST listing in Unix or DOS format. */
export function listLineParser(url: FtpUrl): (line: Uint8Array) => FtpEntry | undefined {
  const now = new Date();
  return (line) => {
    const text = toParserText(line);
    if (NO_ENTRY.test(text)) return undefined;
    const info = parseLine(text);
    if (info === "invalid")
      return createInvalidEntry(line, "the line has neither the form of Unix nor that of DOS");
    if (!info) return undefined;
    if (info.name === "") return createInvalidEntry(line, "the line has no name");
    const size = Number.isSafeInteger(info.size) ? info.size : undefined;
    const modified = parseListDate(info.rawModifiedAt, now);
    return createEntry(url, fromParserText(info.name), { kind: entryKind(info, text), size, modified });
  };
}

// Matches an empty line and the number of blocks, as in "total 16".
const NO_ENTRY = /^(?: *|total\b.*)$/;

/** Parses a line with basic-ftp. Returns undefined for `.` and `..`. */
function parseLine(text: string): FileInfo | "invalid" | undefined {
  try {
    const [info] = parseList(text);
    // parseList skips every line that begins with "total".
    if (!info) return text.startsWith("total") ? "invalid" : undefined;
    return isUnixOrDos(info) ? info : "invalid";
  } catch {
    return "invalid";
  }
}

const DOS_DATE = /^\d\d[-/.]\d\d[-/.]\d{2,4} /;

/**
 * Rejects lines that parseList misinterprets. parseList accepts any two words as a DOS date, and a line that
 * begins with a space as MLSD.
 */
function isUnixOrDos({ permissions, rawModifiedAt }: FileInfo): boolean {
  return permissions !== undefined || DOS_DATE.test(rawModifiedAt);
}

// parseList treats 0xA0 and some control characters as white space or line ends. They are replaced by private use
// characters whose low eight bits are the byte.
const PRIVATE_USE = 0xe000;

function toParserText(line: Uint8Array): string {
  const text = Buffer.from(line).toString("latin1");
  return text.replace(/[\v\f\r\u00a0]/g, (character) =>
    String.fromCharCode(PRIVATE_USE + character.charCodeAt(0)),
  );
}

function fromParserText(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff);
}

// Matches a device, pipe or socket, which parseList returns as a file. Devices have two numbers in place of the size.
const SPECIAL = /^[\s\d]*[bcps][r-][w-]/;

function entryKind(info: FileInfo, text: string): FtpEntry["kind"] {
  if (info.isDirectory) return "directory";
  if (info.isSymbolicLink) return "link";
  if (SPECIAL.test(text)) return "special";
  return info.isFile ? "file" : "unknown";
}
