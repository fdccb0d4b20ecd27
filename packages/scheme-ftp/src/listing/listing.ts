import { AccessError, type CoreLimits, type DirectoryCompleteness } from "@anyscheme/core";
import { limitByteSource, readLines, type Reply } from "@anyscheme/core/io";
import { type ByteSource, createLimitError } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import type { FtpUrl } from "../syntax.ts";
import { createFtpEntry, type FtpEntry } from "./entry.ts";
import { createMlsdLineParser } from "./mlsd-format.ts";

/** Parses one line of an FTP listing. Returns undefined for a line without a directory entry. */
type LineParser = (line: Uint8Array) => FtpEntry | undefined;

const LISTING_LINE_PARSERS: Readonly<Record<string, (url: FtpUrl) => LineParser | Promise<LineParser>>> = {
  MLSD: createMlsdLineParser,
  // The parser of LIST is loaded on demand, because most servers support MLSD. basic-ftp takes 45 ms of CPU time to
  // load (Node 24).
  LIST: async (url) => (await import("./list-line-parser.ts")).createListLineParser(url),
  NLST: createNlstLineParser,
};

/**
 * Parses the listing that an FTP command returns, line by line. A line that cannot be parsed becomes an entry with a
 * fault. Throws `limit` for a listing that is too long, and `unsupported` if no line of the listing can be parsed.
 */
export async function* parseFtpListing(
  source: ByteSource,
  command: string,
  url: FtpUrl,
  limits: CoreLimits,
): AsyncGenerator<FtpEntry> {
  const parseLine = await LISTING_LINE_PARSERS[command]?.(url);
  if (!parseLine) throw new Error(`${command} returns no listing`);
  let count = 0;
  let faults = 0;
  const limited = limitByteSource(source, limits, "maxListingBytes", "the listing is too long");
  for await (const line of readLines(limited, limits, "maxListingLineBytes")) {
    const entry = parseLine(line);
    if (!entry) continue;
    if (++count > limits.maxListingEntries)
      throw createLimitError("maxListingEntries", limits, "the listing has too many entries");
    if (entry.fault !== undefined) faults++;
    yield entry;
  }
  if (faults > 0 && faults === count) {
    const advice = "use ;type=d to list the names only";
    throw new AccessError("unsupported", "the listing has an unknown format", { advice });
  }
}

/** Matches the reply of pure-ftpd with `-L`: "226 Output truncated to 10000 matches". */
const TRUNCATED_LISTING_REPLY = /\btruncated\b/i;

/** Returns `truncated` if the final FTP reply reports that entries of the listing are missing. */
export function getListingCompleteness(confirmation: Reply | undefined): DirectoryCompleteness {
  return confirmation && TRUNCATED_LISTING_REPLY.test(confirmation.text) ? "truncated" : "verified";
}

const SLASH_BYTE = 0x2f;
const WILDCARD_BYTES: Uint8Array = new TextEncoder().encode("*?[{");

/**
 * Returns a parser for the lines of an NLST listing, which are path names (RFC 959 §4.1.3). Most servers put the name
 * of a listed directory before each entry. If the argument of NLST is a pattern, the listed names are in the working
 * directory.
 */
function createNlstLineParser(url: FtpUrl): (line: Uint8Array) => FtpEntry | undefined {
  const argument = percentDecode(url.name ?? "");
  const hasSlash = argument.length === 0 || argument.at(-1) === SLASH_BYTE;
  const prefix = hasSlash ? argument : Uint8Array.from([...argument, SLASH_BYTE]);
  const isPattern = argument.some((byte) => WILDCARD_BYTES.includes(byte));
  return (line) => {
    const hasPrefix = startsWithBytes(line, prefix);
    const name = hasPrefix ? line.subarray(prefix.length) : line;
    const isArgument = name.length === argument.length && startsWithBytes(name, argument);
    const isInDirectory = argument.length > 0 && (hasPrefix || !(isArgument || isPattern));
    return createFtpEntry(url, name, { kind: "unknown", parentDirectories: isInDirectory ? [argument] : [] });
  };
}

function startsWithBytes(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
