import {
  AccessError,
  type ContentResource,
  type DirectoryResource,
  type Limits,
  type Step,
} from "@anyscheme/core";
import { type AccessContext, limitError, type TlsOptions } from "@anyscheme/core/plugin";
import {
  Article,
  parseHeaderDate,
  type ArticleHeaderField,
  parseHeaderFields,
  readHeader,
} from "./article/article.ts";
import type { RequestPlan } from "./plan/request-plan.ts";
import { readDescriptions, NntpGroup } from "./listing/groups.ts";
import { readList } from "./listing/list.ts";
import { readNewestFirst } from "./listing/newest-first.ts";
import { type NntpEntry, readOverview } from "./listing/overview.ts";
import { parseGroupReply, isEmptyRange, type Reply } from "./session/reply.ts";
import { NntpSession } from "./session/session.ts";
import type { NntpUrl } from "./syntax.ts";
import { stripAngleBrackets } from "./article/header-values.ts";

/** An article: header section and body as the server has them. RFC 5536 §2. */
export type ArticleResource = ContentResource & {
  readonly article: Article;
  /** Where on the server the article is; without a number where the server does not tell it. */
  readonly source: NntpUrl;
};

/** The articles of a group, or the groups of a server. */
export type NewsDirectory = DirectoryResource<NntpEntry | NntpGroup> & {
  /** The group or the server. */
  readonly source: NntpUrl;
};

export type NntpResource = ArticleResource | NewsDirectory;

export interface RetrieveOptions {
  readonly newestFirst: boolean;
  readonly tls: TlsOptions;
  /** Finds the place of an article on its server, or of what else was found. */
  readonly sourceOf: (article: Article | undefined) => NntpUrl;
}

/** Performs an attempt. Throws what the server's refusal means: `not-found` leaves the connection to the next access. */
export async function retrieve(
  attempt: RequestPlan,
  context: AccessContext,
  options: RetrieveOptions,
): Promise<NntpResource> {
  checkCommands(attempt, context.limits);
  const session = new NntpSession(attempt, context, options.tls);
  try {
    return await resourceOf(attempt, session, context, options);
  } catch (error) {
    if (error instanceof AccessError && error.code === "not-found" && session.isRejected) session.release();
    else session.abort();
    throw error;
  }
}

/** RFC 3977 §3.1: "Command lines MUST NOT exceed 512 octets". */
function checkCommands({ exchanges }: RequestPlan, limits: Limits): void {
  const isTooLong = ({ bytes }: Step): boolean => (bytes?.length ?? 0) > limits.maxCommandBytes;
  if (exchanges.some((steps) => steps.some(isTooLong)))
    throw limitError("maxCommandBytes", limits, "the name of the group, or the number, is too long");
}

async function resourceOf(
  attempt: RequestPlan,
  session: NntpSession,
  context: AccessContext,
  options: RetrieveOptions,
): Promise<NntpResource> {
  const first = await session.start();
  if (attempt.asked === "article") return article(first, session, context, options);
  const extra = { source: options.sourceOf(undefined) };
  if (attempt.asked === "groups") {
    return context.createDirectory({
      entries: await groups(attempt, first, session, context),
      cancel: () => session.abort(),
      extra,
    });
  }
  const place = { server: attempt.server, group: attempt.group ?? "" };
  const entries = options.newestFirst
    ? readNewestFirst(session, parseGroupReply(first), place, context.limits)
    : await overview(attempt, session, context);
  return context.createDirectory({ entries, cancel: () => session.abort(), extra });
}

/** RFC 3977 §6.2.1: `220 number <message-id>`, the number 0 for an article asked for by its identifier. */
async function article(
  reply: Reply,
  session: NntpSession,
  context: AccessContext,
  { sourceOf }: RetrieveOptions,
): Promise<ArticleResource> {
  const { header: ahead, body } = await readHeader(session.data(), context.limits);
  // An article may be kept for long after its body; what was read ahead of the body should not be kept with it.
  const head = Buffer.from(ahead);
  const [, digits = "0", id] = /^(\d{1,15})[ \t]+<([^<>]*)>/.exec(reply.text) ?? [];
  const fields = (): readonly ArticleHeaderField[] => parseHeaderFields(head);
  const found = new Article(Number(digits) || undefined, id ?? ownIdentifier(fields()), fields);
  return context.createContent({
    source: body,
    // RFC 5537 §4: "message/rfc822 should be used instead" of message/news.
    mediaType: "message/rfc822",
    modified: parseHeaderDate(head),
    extra: { article: found, source: sourceOf(found) },
  });
}

function ownIdentifier(fields: readonly ArticleHeaderField[]): string {
  const own = fields.find(({ name }) => name.toLowerCase() === "message-id");
  return stripAngleBrackets(own?.value ?? "");
}

async function overview(
  { server, group = "", exchanges: [, asking = []] }: RequestPlan,
  session: NntpSession,
  { limits }: AccessContext,
): Promise<AsyncIterable<NntpEntry>> {
  const reply = await session.exchange(asking);
  if (isEmptyRange(reply)) return nothing(session);
  return readOverview(session.data(), { server, group }, limits);
}

async function groups(
  { server, exchanges: [, asking = []] }: RequestPlan,
  first: Reply,
  session: NntpSession,
  { limits }: AccessContext,
): Promise<AsyncIterable<NntpGroup>> {
  const described = first.code === "215";
  const descriptions = described
    ? await readDescriptions(session.conversation.data(), limits)
    : new Map<string, string>();
  await session.exchange(asking);
  return readList(session.data(), limits, (line) => new NntpGroup(line, server, descriptions));
}

/** An empty list, after which the connection is kept. */
function nothing(session: NntpSession): AsyncIterable<never> {
  const next = (): Promise<IteratorReturnResult<undefined>> => {
    session.release();
    return Promise.resolve({ done: true, value: undefined });
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}
