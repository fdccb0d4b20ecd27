import { AccessError, type DirectoryEntry } from "@anyscheme/core";
import { type ByteSource, decodeBinaryStringToText, createLimitError } from "@anyscheme/core/plugin";
import { EMPTY_BYTE_SOURCE, limitByteSource } from "@anyscheme/core/io";
import { parseRfc5322Date, parseMessageIds, stripMessageIdBrackets } from "../header-values.ts";
import { type GroupArticleRange, isEmptyArticleRangeReply, parseArticleNumber } from "../session/reply.ts";
import type { NntpRequestRunner } from "../session/nntp-request-runner.ts";
import { type NntpUrl, buildNntpUrlOnSameServer } from "../syntax.ts";
import type { NntpLimits } from "../scheme-options.ts";
import { mapDataBlockLines } from "./data-block-lines.ts";

/** The NNTP server and the newsgroup that an overview describes. */
export interface NntpServerAndGroup {
  readonly server: NntpUrl;
  readonly group: string;
}

/**
 * Parses an overview as its lines arrive (RFC 3977 §8.3.2). `source` ends before the final line with a single dot.
 * Throws `limit` for an overview that is too long.
 */
export function parseOverviewLines(
  source: ByteSource,
  { server, group }: NntpServerAndGroup,
  limits: NntpLimits,
): AsyncGenerator<NntpArticleEntry> {
  return mapDataBlockLines(source, limits, (line) => new NntpArticleEntry(line, server, group));
}

/**
 * The size of the first requested range of article numbers. The newest articles arrive early because the first range is
 * small.
 */
const FIRST_RANGE_ARTICLES = 128;
/**
 * If a range contains fewer articles than this number, the client doubles the size of the next range without a limit.
 * The article numbers of a group may have large gaps.
 */
const FEW_ARTICLES_IN_RANGE = 64;
/**
 * After a range with many articles, the client enlarges the next range to at most this size. The client stores the
 * articles of a range to reverse their order.
 */
const MAX_FULL_RANGE_ARTICLES = 1024;

/**
 * Lists the articles of a group from the highest article number down. Requests a range of articles only when the caller
 * reads them.
 */
export async function* readArticlesNewestFirst(
  session: NntpRequestRunner,
  { low, high }: GroupArticleRange,
  source: NntpServerAndGroup,
  limits: NntpLimits,
): AsyncGenerator<NntpArticleEntry> {
  let size = FIRST_RANGE_ARTICLES;
  let count = 0;
  let block = EMPTY_BYTE_SOURCE;
  // One byte source for all requested ranges of articles, because the limit applies to the sum of their
  // bytes.
  const blocks = limitByteSource(
    { readChunks: (onChunk) => block.readChunks(onChunk), cancel: () => block.cancel() },
    limits,
    "maxListingBytes",
    "the list of the server is too long",
  );
  for (let top = high; top >= low && top > 0;) {
    const bottom = Math.max(low, top - size + 1, 1);
    const reply = await session.requestOverviewRange(bottom, top);
    block = isEmptyArticleRangeReply(reply) ? EMPTY_BYTE_SOURCE : session.readDataBlock();
    const articles = await Array.fromAsync(parseOverviewLines(blocks, source, limits));
    checkArticleRange(articles, bottom, top);
    for (const article of articles.toReversed()) {
      if (++count > limits.maxListingEntries)
        throw createLimitError("maxListingEntries", limits, "the group has too many articles");
      yield article;
    }
    if (articles.length < FEW_ARTICLES_IN_RANGE) size *= 2;
    else size = Math.min(size * 2, Math.max(size, MAX_FULL_RANGE_ARTICLES));
    top = bottom - 1;
  }
  session.release();
}

/**
 * Rejects articles whose number is outside the requested range. Articles outside the range would appear twice or in the
 * wrong order.
 */
function checkArticleRange(articles: readonly NntpArticleEntry[], bottom: number, top: number): void {
  const outside = articles.find(({ number }) => number !== undefined && (number < bottom || number > top));
  if (outside)
    throw new AccessError(
      "protocol",
      `the server sent article ${outside.number} for the range ${bottom}-${top}`,
    );
}

/**
 * An article in the overview of a group. RFC 3977 §8.3.2 defines the first 8 fields: number, Subject, From, Date,
 * Message-ID, References, bytes, lines. The line of the overview is split at the first access to a field.
 */
export class NntpArticleEntry implements DirectoryEntry {
  readonly #line: string;
  readonly #server: NntpUrl;
  readonly #group: string;
  #fields: readonly string[] | undefined;

  /** Creates an entry from a line of the overview, with one character per byte. */
  constructor(line: string, server: NntpUrl, group: string) {
    this.#line = line;
    this.#server = server;
    this.#group = group;
  }

  /** The kind is `"unknown"` for a line that does not describe an article. */
  get kind(): "article" | "unknown" {
    return this.number === undefined ? "unknown" : "article";
  }

  /** The subject of the article, or the whole line if the kind is `"unknown"`. */
  get name(): string {
    return this.number === undefined ? decodeBinaryStringToText(this.#line) : this.#field(1);
  }

  get number(): number | undefined {
    const fields = this.#splitFields();
    return fields.length >= 5 ? parseArticleNumber(fields[0]) : undefined;
  }

  /** The Subject field, as the article contains it. `decodeEncodedWords` of `@anyscheme/core/text` decodes RFC 2047. */
  get subject(): string {
    return this.#field(1);
  }

  get from(): string {
    return this.#field(2);
  }

  /** The Date field, as the article contains it. */
  get date(): string {
    return this.#field(3);
  }

  /** The parsed Date field, or `undefined` for an invalid date. */
  get modified(): Date | undefined {
    return parseRfc5322Date(this.#field(3));
  }

  /** The message identifier without "<" and ">", as in news URLs. */
  get messageId(): string {
    return stripMessageIdBrackets(this.#field(4));
  }

  /**
   * The message identifiers in the References field, without "<" and ">". The list of identifiers begins with the
   * oldest article.
   */
  get references(): readonly string[] {
    return parseMessageIds(this.#field(5));
  }

  /** The size of the article in bytes, if the server sends it. */
  get size(): number | undefined {
    return parseOverviewCount(this.#field(6));
  }

  /** The number of lines of the body, if the server sends it. */
  get lines(): number | undefined {
    return parseOverviewCount(this.#field(7));
  }

  get url(): NntpUrl | undefined {
    return this.number === undefined
      ? undefined
      : buildNntpUrlOnSameServer(this.#server, this.#group, this.number);
  }

  toJSON(): Record<string, unknown> {
    const { kind, name, url, number, subject, from, date, messageId, references, size, lines, modified } =
      this;
    if (kind === "unknown") return { name, kind };
    return { name, kind, url, number, subject, from, date, modified, messageId, references, size, lines };
  }

  #splitFields(): readonly string[] {
    return (this.#fields ??= this.#line.split("\t", 8));
  }

  #field(index: number): string {
    return decodeBinaryStringToText(this.#splitFields()[index] ?? "");
  }
}

function parseOverviewCount(text: string): number | undefined {
  return /^ *\d{1,15} *$/.test(text) ? Number(text) : undefined;
}
