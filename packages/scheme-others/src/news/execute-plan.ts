import { type AccessErrorCode, AccessError } from "@anyscheme/core";
import type { AccessContext, TlsOptions } from "@anyscheme/core/plugin";
import { executeNntpPlan } from "../nntp/execute-plan.ts";
import type { ArticleHeader, NntpResource, NntpUrl } from "../nntp/index.ts";
import type { NntpRequestPlan } from "../nntp/plan.ts";
import { buildNntpUrlOnSameServer } from "../nntp/syntax.ts";
import type { NewsPlan } from "./plan.ts";

/** The resource of a news URL. The field `nntpUrl` is the nntp URL of the article or group on its server. */
export type NewsResource = NntpResource;

/**
 * The error codes of a news server after which the client tries the next server. The client tries no other news server
 * after a refusal of the policy or an exceeded limit.
 */
const TRY_NEXT_SERVER_ERROR_CODES: ReadonlySet<AccessErrorCode> = new Set([
  "not-found",
  "unavailable",
  "unsupported",
  "permission-denied",
  "authentication-required",
  "protocol",
  "incomplete",
  "timeout",
]);

/**
 * Tries the news servers in order. Returns the resource from the first news server that has the requested article or
 * group.
 */
export async function executeNewsPlan(
  { requests }: NewsPlan,
  context: AccessContext,
  tls: TlsOptions,
): Promise<NewsResource> {
  const failures: AccessError[] = [];
  for (const request of requests) {
    const [connect] = request.connect;
    if (connect) context.beginStep(connect);
    try {
      return await executeNntpPlan(request, context, tls, (article) => getSourceUrl(request, article));
    } catch (error) {
      const mayTryNext = error instanceof AccessError && TRY_NEXT_SERVER_ERROR_CODES.has(error.code);
      if (!mayTryNext || context.signal.aborted) throw error;
      failures.push(error);
    }
  }
  throw combineServerErrors(failures, requests);
}

/** Returns the nntp URL of the article or group on the server that answered the news request. */
function getSourceUrl({ server, group }: NntpRequestPlan, article: ArticleHeader | undefined): NntpUrl {
  if (group !== undefined) return buildNntpUrlOnSameServer(server, group) ?? server;
  for (const { group: posted, number } of article?.locations ?? []) {
    const url = buildNntpUrlOnSameServer(server, posted, number);
    if (url) return url;
  }
  const [posted] = article?.newsgroups ?? [];
  return (posted === undefined ? undefined : buildNntpUrlOnSameServer(server, posted)) ?? server;
}

/**
 * Combines the errors of all configured news servers into one error. The error code is `not-found` only if all news
 * servers replied `not-found`.
 */
function combineServerErrors(
  failures: readonly AccessError[],
  requests: readonly NntpRequestPlan[],
): AccessError {
  const cause = failures.find(({ code }) => code !== "not-found") ?? failures[0];
  if (!cause) throw new Error("the plan of the news URL has no server");
  if (failures.length === 1) return cause;
  const results = failures.map(({ code }, index) => `${requests[index]?.server.host}: ${code}`);
  return new AccessError(cause.code, cause.messageParts, { cause, advice: `tried ${results.join(", ")}` });
}
