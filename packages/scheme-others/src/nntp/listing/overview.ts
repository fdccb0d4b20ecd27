import { AccessError, type Limits } from "@anyscheme/core";
import { type ByteSource, limitError } from "@anyscheme/core/plugin";
import { type GroupRange, isEmptyRange } from "../session/reply.ts";
import type { NntpSession } from "../session/session.ts";
import type { NntpUrl } from "../syntax.ts";
import { NntpEntry } from "./overview-entry.ts";
import { readList } from "./read-list.ts";

/** The group that an overview lists. */
export interface OverviewSource {
  readonly server: NntpUrl;
  readonly group: string;
}

/**
 * Parses an overview as its lines arrive (RFC 3977 §8.3.2). `source` ends before the final line with a single dot.
 * Throws `limit`.
 */
export function readOverview(
  source: ByteSource,
  { server, group }: OverviewSource,
  limits: Limits,
): AsyncGenerator<NntpEntry> {
  return readList(source, limits, (line) => new NntpEntry(line, server, group));
}

/** The number of articles in the first range. A small range makes the newest articles arrive early. */
const FIRST_RANGE = 128;
/** The number of articles below which the next range is twice as wide. The numbers of a group may have large gaps. */
const FEW_ARTICLES = 64;
/**
 * The largest range after a range with many articles. The client stores the articles of a range to reverse their
 * order.
 */
const MAX_FULL_RANGE = 1024;

/**
 * Lists the articles of a group from the highest number down. Requests a range only when the caller reads its
 * articles.
 */
export async function* readNewestFirst(
  session: NntpSession,
  { low, high }: GroupRange,
  source: OverviewSource,
  limits: Limits,
): AsyncGenerator<NntpEntry> {
  let size = FIRST_RANGE;
  let count = 0;
  for (let top = high; top >= low && top > 0;) {
    const bottom = Math.max(low, top - size + 1, 1);
    const articles = isEmptyRange(await session.requestRange(bottom, top))
      ? []
      : await Array.fromAsync(readOverview(session.readBlock(), source, limits));
    checkRange(articles, bottom, top);
    for (const article of articles.toReversed()) {
      if (++count > limits.maxListingEntries)
        throw limitError("maxListingEntries", limits, "the group has too many articles");
      yield article;
    }
    if (articles.length < FEW_ARTICLES) size *= 2;
    else size = Math.min(size * 2, Math.max(size, MAX_FULL_RANGE));
    top = bottom - 1;
  }
  session.release();
}

/** Rejects articles outside the requested range. Such articles would be listed twice, or in the wrong order. */
function checkRange(articles: readonly NntpEntry[], bottom: number, top: number): void {
  const outside = articles.find(({ number }) => number !== undefined && (number < bottom || number > top));
  if (outside)
    throw new AccessError(
      "protocol",
      `the server sent article ${outside.number} for the range ${bottom}-${top}`,
    );
}
