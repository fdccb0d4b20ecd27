import { type Entry, limitReached, type Limits, type OctetSource } from "@anyscheme/core";
import { linesOf } from "@anyscheme/core/wire";
import { readFactLine } from "./list-facts.ts";
import { readLongLine } from "./list-lines.ts";
import { readNameLine } from "./list-names.ts";
import type { FtpUrl } from "./syntax.ts";

/** Something in a directory of an FTP server. */
export interface FtpEntry extends Entry {
  /** The name as UTF-8; what is not UTF-8 in it becomes U+FFFD. */
  readonly name: string;
  /** The name as the server sent it. */
  readonly octets: Uint8Array;
  readonly url: FtpUrl;
  /** `"unknown"` when the server lists names only. */
  readonly kind: "file" | "directory" | "link" | "unknown";
  /** In octets; of files only. */
  readonly size?: number | undefined;
  /** As the server tells it. LIST does not tell the time zone, and is taken to mean UTC. */
  readonly modified?: Date | undefined;
}

/** Makes an entry of a line; `undefined` for lines that stand for nothing in the directory. */
type ReadLine = (line: Uint8Array) => FtpEntry | undefined;

/** How to read the answer to each command. */
const READERS: Readonly<Record<string, (url: FtpUrl) => ReadLine>> = {
  MLSD: readFactLine,
  LIST: readLongLine,
  NLST: readNameLine,
};

/** The entries of a list as its lines arrive. Throws `limit`, and `unsupported` for a form that is not known. */
export async function* entriesOf(
  source: OctetSource,
  command: string,
  url: FtpUrl,
  limits: Limits,
): AsyncGenerator<FtpEntry> {
  const readLine = READERS[command]?.(url);
  if (!readLine) throw new Error(`${command} gives no list`);
  let count = 0;
  for await (const line of linesOf(within(source, limits), limits, "maxListingLineBytes")) {
    const entry = readLine(line);
    if (!entry) continue;
    if (++count > limits.maxListingEntries) {
      throw limitReached("maxListingEntries", limits, "the list has too many entries");
    }
    yield entry;
  }
}

/** The same octets, as far as a list may be long. */
function within(source: OctetSource, limits: Limits): OctetSource {
  let received = 0;
  return {
    read: (take) =>
      source.read((octets) => {
        received += octets.length;
        if (received > limits.maxListingBytes)
          throw limitReached("maxListingBytes", limits, "the list is too long");
        return take(octets);
      }),
    cancel: () => source.cancel(),
  };
}
