import {
  AccessError,
  type ContentResource,
  type DirectoryResource,
  type Limits,
  type Step,
} from "@anyscheme/core";
import { type AccessContext, limitError, type TlsOptions } from "@anyscheme/core/plugin";
import { Article, dateIn, type Field, fieldsOf, readHead } from "./article/article.ts";
import type { Attempt } from "./plan/request-plan.ts";
import { descriptionsOf, NntpGroup } from "./listing/groups.ts";
import { listOf } from "./listing/list.ts";
import { newestFirst } from "./listing/newest-first.ts";
import { type NntpEntry, overviewOf } from "./listing/overview.ts";
import { groupNumbers, meansNone, type Reply } from "./session/reply.ts";
import { Session } from "./session/session.ts";
import type { NntpUrl } from "./syntax.ts";
import { unbracketed } from "./article/header-values.ts";

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
  attempt: Attempt,
  context: AccessContext,
  options: RetrieveOptions,
): Promise<NntpResource> {
  checkCommands(attempt, context.limits);
  const session = new Session(attempt, context, options.tls);
  try {
    return await resourceOf(attempt, session, context, options);
  } catch (error) {
    if (error instanceof AccessError && error.code === "not-found" && session.refused) session.finish();
    else session.giveUp();
    throw error;
  }
}

/** RFC 3977 §3.1: "Command lines MUST NOT exceed 512 octets". */
function checkCommands({ exchanges }: Attempt, limits: Limits): void {
  const isTooLong = ({ bytes }: Step): boolean => (bytes?.length ?? 0) > limits.maxCommandBytes;
  if (exchanges.some((steps) => steps.some(isTooLong)))
    throw limitError("maxCommandBytes", limits, "the name of the group, or the number, is too long");
}

async function resourceOf(
  attempt: Attempt,
  session: Session,
  context: AccessContext,
  options: RetrieveOptions,
): Promise<NntpResource> {
  const first = await session.begin();
  if (attempt.asked === "article") return article(first, session, context, options);
  const extra = { source: options.sourceOf(undefined) };
  if (attempt.asked === "groups") {
    return context.createDirectory({
      entries: await groups(attempt, first, session, context),
      cancel: () => session.giveUp(),
      extra,
    });
  }
  const place = { server: attempt.server, group: attempt.group ?? "" };
  const entries = options.newestFirst
    ? newestFirst(session, groupNumbers(first), place, context.limits)
    : await overview(attempt, session, context);
  return context.createDirectory({ entries, cancel: () => session.giveUp(), extra });
}

/** RFC 3977 §6.2.1: `220 number <message-id>`, the number 0 for an article asked for by its identifier. */
async function article(
  reply: Reply,
  session: Session,
  context: AccessContext,
  { sourceOf }: RetrieveOptions,
): Promise<ArticleResource> {
  const { head: ahead, body } = await readHead(session.data(), context.limits);
  // An article may be kept for long after its body; what was read ahead of the body should not be kept with it.
  const head = Buffer.from(ahead);
  const [, digits = "0", id] = /^(\d{1,15})[ \t]+<([^<>]*)>/.exec(reply.text) ?? [];
  const fields = (): readonly Field[] => fieldsOf(head);
  const found = new Article(Number(digits) || undefined, id ?? ownIdentifier(fields()), fields);
  return context.createContent({
    source: body,
    // RFC 5537 §4: "message/rfc822 should be used instead" of message/news.
    mediaType: "message/rfc822",
    modified: dateIn(head),
    extra: { article: found, source: sourceOf(found) },
  });
}

function ownIdentifier(fields: readonly Field[]): string {
  const own = fields.find(({ name }) => name.toLowerCase() === "message-id");
  return unbracketed(own?.value ?? "");
}

async function overview(
  { server, group = "", exchanges: [, asking = []] }: Attempt,
  session: Session,
  { limits }: AccessContext,
): Promise<AsyncIterable<NntpEntry>> {
  const reply = await session.exchange(asking);
  if (meansNone(reply)) return nothing(session);
  return overviewOf(session.data(), { server, group }, limits);
}

async function groups(
  { server, exchanges: [, asking = []] }: Attempt,
  first: Reply,
  session: Session,
  { limits }: AccessContext,
): Promise<AsyncIterable<NntpGroup>> {
  const described = first.code === "215";
  const descriptions = described
    ? await descriptionsOf(session.conversation.data(), limits)
    : new Map<string, string>();
  await session.exchange(asking);
  return listOf(session.data(), limits, (line) => new NntpGroup(line, server, descriptions));
}

/** An empty list, after which the connection is kept. */
function nothing(session: Session): AsyncIterable<never> {
  const next = (): Promise<IteratorReturnResult<undefined>> => {
    session.finish();
    return Promise.resolve({ done: true, value: undefined });
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}
