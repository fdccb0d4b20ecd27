import type { Limits } from "@anyscheme/core";
import { limitError, type ByteSource } from "@anyscheme/core/plugin";
import { LineSplitter } from "@anyscheme/core/io";
import { bytesToLatin1 } from "../article/header-values.ts";

/** The limits that a list is held to. */
export interface ListLimits {
  readonly bytes: "maxListingBytes" | "maxReplyBytes";
  readonly entries?: "maxListingEntries" | undefined;
}

const LISTING: ListLimits = { bytes: "maxListingBytes", entries: "maxListingEntries" };

/**
 * What is made of the lines of a list, as they arrive; `make` is given one character a byte. What comes before a fault is given
 * before it is thrown. Throws `limit`.
 */
export async function* readList<T>(
  source: ByteSource,
  limits: Limits,
  parseLine: (line: string) => T,
  { bytes, entries }: ListLimits = LISTING,
): AsyncGenerator<T> {
  const splitter = new LineSplitter(limits, "maxNntpLineBytes");
  let left = limits[bytes];
  let count = 0;
  let lines: string[] = [];
  for (;;) {
    const state = await source.read((bytes) => {
      lines = splitter.push(bytes).map(bytesToLatin1);
      return lines.length === 0;
    });
    for (const line of lines) {
      left -= line.length + 2;
      if (left < 0) throw limitError(bytes, limits, "the list is too long");
      if (entries && ++count > limits[entries])
        throw limitError(entries, limits, "the list has too many entries");
      yield parseLine(line);
    }
    lines = [];
    splitter.throwIfTooLong();
    if (state === "end") return;
  }
}
