import { AccessError, type Limits } from "@anyscheme/core";
import { limitError } from "@anyscheme/core/plugin";
import { type NntpEntry, readOverview, type OverviewSource } from "./overview.ts";
import { type GroupRange, isEmptyRange } from "../session/reply.ts";
import type { NntpSession } from "../session/session.ts";

/** Numbers asked for at first; few enough that the newest articles are there at once. */
const FIRST_SPAN = 128;
/** A range that gives fewer articles than this is followed by one twice as wide: groups may have large gaps. */
const FEW = 64;
/** No range is widened beyond this because of articles that came, since the articles of a range are held to be turned round. */
const WIDE = 1024;

/** The articles of a group from the highest number down, one range after the other, as many as somebody reads. */
export async function* readNewestFirst(
  session: NntpSession,
  { low, high }: GroupRange,
  place: OverviewSource,
  limits: Limits,
): AsyncGenerator<NntpEntry> {
  let span = FIRST_SPAN;
  let count = 0;
  for (let top = high; top >= low && top > 0;) {
    const bottom = Math.max(low, top - span + 1, 1);
    const articles: NntpEntry[] = [];
    if (!isEmptyRange(await session.range(bottom, top))) {
      for await (const article of readOverview(session.conversation.data(), place, limits))
        articles.push(article);
    }
    checkRange(articles, bottom, top);
    for (const article of articles.toReversed()) {
      if (++count > limits.maxListingEntries)
        throw limitError("maxListingEntries", limits, "the group has too many articles");
      yield article;
    }
    if (articles.length < FEW) span *= 2;
    else span = Math.min(span * 2, Math.max(span, WIDE));
    top = bottom - 1;
  }
  session.release();
}

/** What lies outside of the range that was asked for would come again, or in the wrong place. */
function checkRange(articles: readonly NntpEntry[], bottom: number, top: number): void {
  const outside = articles.find(({ number }) => number !== undefined && (number < bottom || number > top));
  if (outside)
    throw new AccessError("protocol", `the server was asked for ${bottom}-${top} and gave ${outside.number}`);
}
