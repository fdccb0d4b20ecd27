import { AccessError } from "@anyscheme/core";
import { type FileInfo, parseList } from "basic-ftp";
import { entryOf } from "./entry.ts";
import { timeInList } from "./list-time.ts";
import type { FtpEntry } from "./listing.ts";
import type { FtpUrl } from "./syntax.ts";

/** Lines of LIST, in the forms that basic-ftp knows: those of Unix and DOS. */
export function readLongLine(list: FtpUrl): (line: Uint8Array) => FtpEntry | undefined {
  const now = new Date();
  return (line) => {
    const [info] = parse(line);
    if (!info) return undefined;
    const size = Number.isSafeInteger(info.size) ? info.size : undefined;
    const modified = timeInList(info.rawModifiedAt, now);
    return entryOf(list, octetsOf(info.name), { kind: kindOf(info), size, modified });
  };
}

function parse(line: Uint8Array): FileInfo[] {
  try {
    return parseList(lettersOf(line));
  } catch (cause) {
    const advice = "with ;type=d the server lists the names alone";
    throw new AccessError("unsupported", "the list has a form that is not known", { cause, advice });
  }
}

// JavaScript takes 0xA0 and some control characters for blanks or line ends. The parser sees such octets as letters of the
// private use area, whose low eight bits are the octet.
const PRIVATE_USE = 0xe000;

function lettersOf(line: Uint8Array): string {
  const text = Buffer.from(line).toString("latin1");
  return text.replace(/[\v\f\r\u00a0]/g, (blank) => String.fromCharCode(PRIVATE_USE + blank.charCodeAt(0)));
}

function octetsOf(letters: string): Uint8Array {
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0) & 0xff);
}

function kindOf(info: FileInfo): FtpEntry["kind"] {
  if (info.isDirectory) return "directory";
  if (info.isSymbolicLink) return "link";
  return info.isFile ? "file" : "unknown";
}
