import { type FileInfo, parseList } from "basic-ftp";
import { createEntry, createInvalidEntry } from "./entry.ts";
import { parseListDate } from "./list-date.ts";
import type { FtpEntry } from "./listing.ts";
import type { FtpUrl } from "../url/syntax.ts";

/** Lines of LIST, in the forms that basic-ftp knows: those of Unix and DOS. */
export function listLineParser(list: FtpUrl): (line: Uint8Array) => FtpEntry | undefined {
  const now = new Date();
  return (line) => {
    const letters = lettersOf(line);
    if (NO_ENTRY.test(letters)) return undefined;
    const info = infoIn(letters);
    if (info === "fault")
      return createInvalidEntry(line, "the line has neither the form of Unix nor that of DOS");
    if (!info) return undefined;
    if (info.name === "") return createInvalidEntry(line, "the line has no name");
    const size = Number.isSafeInteger(info.size) ? info.size : undefined;
    const modified = parseListDate(info.rawModifiedAt, now);
    return createEntry(list, bytesOf(info.name), { kind: kindOf(info, letters), size, modified });
  };
}

// An empty line, and the sum of blocks above the entries: "total 16".
const NO_ENTRY = /^(?: *|total\b.*)$/;

/** `undefined` for a line that stands for the directory itself or the one above. */
function infoIn(letters: string): FileInfo | "fault" | undefined {
  try {
    const [info] = parseList(letters);
    // It leaves out every line that begins as the sum of blocks does.
    if (!info) return letters.startsWith("total") ? "fault" : undefined;
    return hasForm(info) ? info : "fault";
  } catch {
    return "fault";
  }
}

const DOS_DATE = /^\d\d[-/.]\d\d[-/.]\d{2,4} /;

/** The parser takes any two words for the time of a DOS line, and a line that begins with a blank for one of MLSD. */
function hasForm({ permissions, rawModifiedAt }: FileInfo): boolean {
  return permissions !== undefined || DOS_DATE.test(rawModifiedAt);
}

// JavaScript takes 0xA0 and some control characters for blanks or line ends. The parser sees such bytes as letters of the
// private use area, whose low eight bits are the byte.
const PRIVATE_USE = 0xe000;

function lettersOf(line: Uint8Array): string {
  const text = Buffer.from(line).toString("latin1");
  return text.replace(/[\v\f\r\u00a0]/g, (blank) => String.fromCharCode(PRIVATE_USE + blank.charCodeAt(0)));
}

function bytesOf(letters: string): Uint8Array {
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0) & 0xff);
}

// Devices have two numbers in the place of a size; the parser takes them for files.
const SPECIAL = /^[\s\d]*[bcps][r-][w-]/;

function kindOf(info: FileInfo, letters: string): FtpEntry["kind"] {
  if (info.isDirectory) return "directory";
  if (info.isSymbolicLink) return "link";
  if (SPECIAL.test(letters)) return "special";
  return info.isFile ? "file" : "unknown";
}
