import { AccessError, type ContentResource, type DirectoryResource, type Step } from "@anyscheme/core";
import { type AccessContext, createLimitError, type TlsOptions } from "@anyscheme/core/plugin";
import {
  ArticleHeader,
  findArticleDate,
  parseArticleHeaderFields,
  peekArticleHeader,
} from "./article-header.ts";
import { stripMessageIdBrackets } from "./header-values.ts";
import { NntpGroup, parseGroupDescriptions } from "./listing/newsgroup-list.ts";
import { type NntpArticleEntry, readArticlesNewestFirst, parseOverviewLines } from "./listing/overview.ts";
import { mapDataBlockLines } from "./listing/data-block-lines.ts";
import type { NntpRequestPlan } from "./plan.ts";
import {
  isEmptyArticleRangeReply,
  NntpReplyError,
  parseArticleNumber,
  parseGroupReply,
} from "./session/reply.ts";
import { NntpRequestRunner } from "./session/nntp-request-runner.ts";
import type { NntpUrl } from "./syntax.ts";
import type { NntpLimits } from "./scheme-options.ts";

/** An article with header section and body, as the server sends it (RFC 5536 §2). */
export type ArticleResource = ContentResource & {
  readonly article: ArticleHeader;
  /** The URL of the article on its server. The URL contains no article number if the server sends no number. */
  readonly nntpUrl: NntpUrl;
};

/** A directory of the articles of a group, or of the groups of a server. */
export type NewsDirectory = DirectoryResource<NntpArticleEntry | NntpGroup> & {
  /** The nntp URL of the group or the server. */
  readonly nntpUrl: NntpUrl;
};

export type NntpResource = ArticleResource | NewsDirectory;

/** Returns the URL of an article on its server. Returns the nntp URL of the group or server if there is no article. */
export type ArticleOrGroupUrlFactory = (article: ArticleHeader | undefined) => NntpUrl;

/**
 * Requests an article or a list from one server. Throws the error that matches the NNTP reply code, such as `not-found`
 * or `authentication-required`. Returns the connection to the pool after `not-found`.
 */
export async function executeNntpPlan(
  plan: NntpRequestPlan,
  context: AccessContext,
  tls: TlsOptions,
  getNntpUrl: ArticleOrGroupUrlFactory,
): Promise<NntpResource> {
  checkCommandLength(plan, context);
  const session = new NntpRequestRunner(plan, context, tls);
  try {
    if (plan.kind === "article") return await retrieveArticle(plan, session, context, getNntpUrl);
    const entries: AsyncIterable<NntpArticleEntry | NntpGroup> = await (plan.kind === "groups"
      ? listGroups(plan, session, context.limits)
      : listArticles(plan, session, context.limits));
    const extra = { nntpUrl: getNntpUrl(undefined) };
    return context.createDirectory({ entries, cancel: () => session.abort(), schemeProperties: extra });
  } catch (error) {
    if (error instanceof NntpReplyError && error.code === "not-found") session.release();
    else session.abort();
    throw error;
  }
}

/** RFC 3977 §3.1: "Command lines MUST NOT exceed 512 octets". */
function checkCommandLength(
  { selectGroup, listDescriptions, retrieve }: NntpRequestPlan,
  { limits }: AccessContext,
): void {
  const isTooLong = ({ bytes }: Step): boolean => (bytes?.length ?? 0) > limits.maxCommandBytes;
  if ([...selectGroup, ...listDescriptions, ...retrieve].some(isTooLong))
    throw createLimitError(
      "maxCommandBytes",
      limits,
      "the name of the group or the article number is too long",
    );
}

/**
 * RFC 3977 §6.2.1: the reply is `220 number <message-id>`. The number is 0 for an article requested by its message
 * identifier.
 */
async function retrieveArticle(
  { retrieve }: NntpRequestPlan,
  session: NntpRequestRunner,
  context: AccessContext,
  getNntpUrl: ArticleOrGroupUrlFactory,
): Promise<ArticleResource> {
  const reply = await session.start(retrieve);
  const source = await peekArticleHeader(session.readLastDataBlock(), context.limits);
  // Copies the header, so that the article does not retain the buffer with part of the body.
  const header = Buffer.from(source.header);
  const [, digits, id] = /^(\d+)[ \t]+<([^<>]*)>/.exec(reply.text) ?? [];
  const article = new ArticleHeader(
    parseArticleNumber(digits) || undefined,
    id ?? findMessageId(header),
    () => parseArticleHeaderFields(header),
  );
  return context.createContent({
    source: source.headerAndBody,
    // RFC 5537 §4 says that "message/rfc822 should be used instead" of message/news.
    mediaType: "message/rfc822",
    modified: findArticleDate(header),
    schemeProperties: { article, nntpUrl: getNntpUrl(article) },
  });
}

function findMessageId(header: Uint8Array): string {
  const field = parseArticleHeaderFields(header).find(({ name }) => name.toLowerCase() === "message-id");
  return stripMessageIdBrackets(field?.value ?? "");
}

async function listArticles(
  { kind, server, group = "", retrieve }: NntpRequestPlan,
  session: NntpRequestRunner,
  limits: NntpLimits,
): Promise<AsyncIterable<NntpArticleEntry>> {
  const groupReply = await session.start([]);
  const source = { server, group };
  if (kind === "newest-first")
    return readArticlesNewestFirst(session, parseGroupReply(groupReply), source, limits);
  const reply = await session.runSteps(retrieve);
  if (!isEmptyArticleRangeReply(reply))
    return parseOverviewLines(session.readLastDataBlock(), source, limits);
  session.release();
  return ReadableStream.from<NntpArticleEntry>([]);
}

/** Throws `not-found` if no group matches the wildmat of the plan. */
async function listGroups(
  { server, wildmat, listDescriptions, retrieve }: NntpRequestPlan,
  session: NntpRequestRunner,
  limits: NntpLimits,
): Promise<AsyncIterable<NntpGroup>> {
  const { code } = await session.start(listDescriptions);
  const descriptions =
    code === "215"
      ? await parseGroupDescriptions(session.readDataBlock(), limits)
      : new Map<string, string>();
  await session.runSteps(retrieve);
  const groups = mapDataBlockLines(
    session.readLastDataBlock(),
    limits,
    (line) => new NntpGroup(line, server, descriptions),
  );
  if (wildmat === undefined) return groups;
  const first = await groups.next();
  if (first.done) throw new AccessError("not-found", `no group of the server matches ${wildmat}`);
  return prependEntry(first.value, groups);
}

async function* prependEntry<T>(first: T, others: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* others;
}
