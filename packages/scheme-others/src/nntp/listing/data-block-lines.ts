import { bytesToLatin1, createLimitError, type ByteSource } from "@anyscheme/core/plugin";
import { LineSplitter } from "@anyscheme/core/io";
import type { NntpLimits } from "../scheme-options.ts";

/** The names of the client limits that restrict the bytes and entries of an NNTP list. */
export interface ListingLimitNames {
  readonly bytes: "maxListingBytes" | "maxReplyBytes";
  readonly entries?: "maxListingEntries" | undefined;
}

const LISTING_LIMIT_NAMES: ListingLimitNames = { bytes: "maxListingBytes", entries: "maxListingEntries" };

/**
 * Parses the lines of a list or overview of an NNTP server as they arrive. `parseLine` receives each line as a string
 * with one character per byte. Yields all lines before an error, and then throws the error. Throws `limit` for an NNTP
 * list or overview that is too long.
 */
export async function* mapDataBlockLines<T>(
  source: ByteSource,
  limits: NntpLimits,
  parseLine: (line: string) => T,
  { bytes, entries }: ListingLimitNames = LISTING_LIMIT_NAMES,
): AsyncGenerator<T> {
  const splitter = new LineSplitter(limits, "maxNntpLineBytes");
  let remainingBytes = limits[bytes];
  let count = 0;
  let lines: string[] = [];
  for (;;) {
    const state = await source.readChunks((chunk) => {
      lines = splitter.push(chunk).map(bytesToLatin1);
      return lines.length === 0;
    });
    for (const line of lines) {
      remainingBytes -= line.length + 2;
      if (remainingBytes < 0) throw createLimitError(bytes, limits, "the list of the server is too long");
      if (entries && ++count > limits[entries])
        throw createLimitError(entries, limits, "the list of the server has too many entries");
      yield parseLine(line);
    }
    lines = [];
    splitter.throwIfTooLong();
    if (state === "end") return;
  }
}
