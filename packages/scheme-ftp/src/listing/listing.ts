import { AccessError, type Entry, type Limits } from "@anyscheme/core";
import { limitError, type ByteSource, type DirectoryCompleteness } from "@anyscheme/core/plugin";
import { readLines } from "@anyscheme/core/io";
import { mlsdLineParser } from "./mlsd.ts";
import { listLineParser } from "./list.ts";
import { nlstLineParser } from "./nlst.ts";
import type { Reply } from "../control/reply.ts";
import type { FtpUrl } from "../url/syntax.ts";

/** Something in a directory of an FTP server. */
export interface FtpEntry extends Entry {
  /** The name as UTF-8; what is not UTF-8 in it becomes U+FFFD. The whole line where it has a fault. */
  readonly name: string;
  /** The name as the server sent it. */
  readonly rawName: Uint8Array;
  /** `undefined` for a line with a fault. */
  readonly url: FtpUrl | undefined;
  /** `"special"` is a device, a pipe or a socket. `"unknown"` when the server lists names only. */
  readonly kind: "file" | "directory" | "link" | "special" | "unknown";
  /** In bytes; of files only. */
  readonly size?: number | undefined;
  /** As the server tells it. LIST does not tell the time zone, and is taken to mean UTC. */
  readonly modified?: Date | undefined;
  /** What is wrong with the line, which is then of kind `unknown`. */
  readonly fault?: string | undefined;
}

/** Makes an entry of a line; `undefined` for lines that stand for nothing in the directory. */
type ReadLine = (line: Uint8Array) => FtpEntry | undefined;

/** How to read the answer to each command. */
const READERS: Readonly<Record<string, (url: FtpUrl) => ReadLine>> = {
  MLSD: mlsdLineParser,
  LIST: listLineParser,
  NLST: nlstLineParser,
};

/**
 * The entries of a listing as its lines arrive. A line that cannot be read is an entry with a fault. Throws `limit`, and
 * `unsupported` at the end of a listing without a line that can be read.
 */
export async function* parseListing(
  source: ByteSource,
  command: string,
  url: FtpUrl,
  limits: Limits,
): AsyncGenerator<FtpEntry> {
  const readLine = READERS[command]?.(url);
  if (!readLine) throw new Error(`${command} gives no list`);
  let count = 0;
  let faults = 0;
  for await (const line of readLines(within(source, limits), limits, "maxListingLineBytes")) {
    const entry = readLine(line);
    if (!entry) continue;
    if (++count > limits.maxListingEntries) {
      throw limitError("maxListingEntries", limits, "the list has too many entries");
    }
    if (entry.fault !== undefined) faults++;
    yield entry;
  }
  if (faults > 0 && faults === count) {
    const advice = "with ;type=d the server lists the names alone";
    throw new AccessError("unsupported", "the list has a form that is not known", { advice });
  }
}

/** Words of pure-ftpd, whose `-L` bounds the entries of a listing: "226 Output truncated to 10000 matches". */
const TRUNCATED = /\btruncated\b/i;

/** Whether the reply at the end of a listing says that entries were left out. */
export function listingCompleteness(confirmation: Reply | undefined): DirectoryCompleteness {
  return confirmation && TRUNCATED.test(confirmation.text) ? "truncated" : "verified";
}

/** The same bytes, as far as a list may be long. */
function within(source: ByteSource, limits: Limits): ByteSource {
  let received = 0;
  return {
    read: (take) =>
      source.read((bytes) => {
        received += bytes.length;
        if (received > limits.maxListingBytes)
          throw limitError("maxListingBytes", limits, "the list is too long");
        return take(bytes);
      }),
    cancel: () => source.cancel(),
  };
}
