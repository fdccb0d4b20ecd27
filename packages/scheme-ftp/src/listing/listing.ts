import { AccessError, type Entry, type Limits } from "@anyscheme/core";
import { limitSource, readLines, type Reply } from "@anyscheme/core/io";
import { type ByteSource, limitError, type DirectoryCompleteness } from "@anyscheme/core/plugin";
import type { FtpUrl } from "../url/syntax.ts";
import { mlsdLineParser } from "./mlsd.ts";
import { nlstLineParser } from "./nlst.ts";

/** An entry of a directory on an FTP server. */
export interface FtpEntry extends Entry {
  /** The name as UTF-8, with U+FFFD for invalid bytes. The name is the whole line if the line cannot be parsed. */
  readonly name: string;
  /** The name as the server sent it. */
  readonly rawName: Uint8Array;
  /** The URL of the entry; `undefined` if the line cannot be parsed. */
  readonly url: FtpUrl | undefined;
  /** `"special"` is a device, a pipe or a socket. `"unknown"` is the kind of a name from a listing without kinds. */
  readonly kind: "file" | "directory" | "link" | "special" | "unknown";
  /** The size of a file in bytes. */
  readonly size?: number | undefined;
  /** The modification time that the server states. LIST has no time zone, so its times are interpreted as UTC. */
  readonly modified?: Date | undefined;
  /** The reason why the line cannot be parsed. The kind is then `unknown`. */
  readonly fault?: string | undefined;
}

/** Parses a line. Returns undefined for a line that is no entry. */
type LineParser = (line: Uint8Array) => FtpEntry | undefined;

const PARSERS: Readonly<Record<string, (url: FtpUrl) => LineParser | Promise<LineParser>>> = {
  MLSD: mlsdLineParser,
  // Loaded on demand, because most servers support MLSD. basic-ftp takes 45 ms of CPU time to load (Node 24).
  LIST: async (url) => (await import("./list.ts")).listLineParser(url),
  NLST: nlstLineParser,
};

/**
 * Parses the listing that a command returns, line by line. A line that cannot be parsed is an entry with a fault.
 * Throws `limit`, and `unsupported` at the end of a listing in which every line has a fault.
 */
export async function* parseListing(
  source: ByteSource,
  command: string,
  url: FtpUrl,
  limits: Limits,
): AsyncGenerator<FtpEntry> {
  const parseLine = await PARSERS[command]?.(url);
  if (!parseLine) throw new Error(`${command} returns no listing`);
  let count = 0;
  let faults = 0;
  const limited = limitSource(source, limits, "maxListingBytes", "the listing is too long");
  for await (const line of readLines(limited, limits, "maxListingLineBytes")) {
    const entry = parseLine(line);
    if (!entry) continue;
    if (++count > limits.maxListingEntries)
      throw limitError("maxListingEntries", limits, "the listing has too many entries");
    if (entry.fault !== undefined) faults++;
    yield entry;
  }
  if (faults > 0 && faults === count) {
    const advice = "use ;type=d to list the names only";
    throw new AccessError("unsupported", "the listing has an unknown format", { advice });
  }
}

/** Matches the reply of pure-ftpd with `-L`: "226 Output truncated to 10000 matches". */
const TRUNCATED = /\btruncated\b/i;

/** Returns `truncated` if the final reply reports missing entries. */
export function listingCompleteness(confirmation: Reply | undefined): DirectoryCompleteness {
  return confirmation && TRUNCATED.test(confirmation.text) ? "truncated" : "verified";
}
