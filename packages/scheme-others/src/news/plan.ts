import { AccessError, type Plan, type Step } from "@anyscheme/core";
import { createPlan, createStep, type PlanOptions } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import type { NntpUrl } from "../nntp/index.ts";
import { toMessageIdArgument } from "../nntp/commands.ts";
import {
  flattenRequestSteps,
  planArticleRetrieval,
  planGroupListRetrieval,
  planOverviewRetrieval,
  type NntpRequestPlan,
} from "../nntp/plan.ts";
import type { NewsOptions, NewsRequestOptions } from "./scheme-options.ts";
import { type ConfiguredNewsServer, isNewsgroupPattern, selectNewsServers } from "./news-servers.ts";
import type { NewsOrSnewsSchemeName, NewsUrl } from "./syntax.ts";

/** The plan of a news request, for a list of servers. */
export interface NewsPlan<Name extends NewsOrSnewsSchemeName = NewsOrSnewsSchemeName> extends Plan<
  NewsUrl<Name>
> {
  /**
   * The planned NNTP requests, one for each news server, in the order of the attempts. The JSON of a plan omits this
   * field, and contains each step once.
   */
  readonly requests: readonly NntpRequestPlan[];
}

/**
 * Plans a request for all groups (`*`), for the articles of a group, or for an article (RFC 1738 §3.6). Throws
 * `unsupported` if no server is configured, and `refused-characters` for an invalid message identifier.
 */
export function planNews<Name extends NewsOrSnewsSchemeName>(
  url: NewsUrl<Name>,
  { order }: PlanOptions & NewsRequestOptions,
  { startTls }: NewsOptions,
  configured: readonly ConfiguredNewsServer[],
): NewsPlan<Name> {
  const planRequest = createServerRequestPlanner(url, order === "newest-first", startTls === "require");
  const servers = selectNewsServers(url, configured);
  if (servers.length === 0) throw createNoServerConfiguredError(url, configured);
  const requests = servers.map(planRequest);
  const steps = requests.flatMap((request, index) => [
    ...(index === 0 ? [] : [createTryNextServerStep(request)]),
    ...flattenRequestSteps(request),
  ]);
  return createPlan(url, steps, { requests: Object.freeze(requests) });
}

function createServerRequestPlanner(
  { article, group }: NewsUrl,
  isNewestFirst: boolean,
  startTls: boolean,
): (server: NntpUrl) => NntpRequestPlan {
  if (article !== undefined) {
    const id = toMessageIdArgument(percentDecode(article));
    return (server) => planArticleRetrieval(server, { id }, startTls);
  }
  if (group === undefined || isNewsgroupPattern(group))
    return (server) => planGroupListRetrieval(server, group, startTls);
  return (server) => planOverviewRetrieval(server, group, isNewestFirst, startTls);
}

function createTryNextServerStep({ server }: NntpRequestPlan): Step {
  return createStep(
    "redirect",
    "3.6",
    `continue with ${server.host} if the previous server fails or has no such article or group`,
    "4",
  );
}

function createNoServerConfiguredError(
  { group, scheme }: NewsUrl,
  configured: readonly ConfiguredNewsServer[],
): AccessError {
  if (scheme === "snews" && !configured.some(({ url }) => url.scheme === "nntps")) {
    const advice = 'configure a server with the scheme "nntps", or write "snews://" and the server';
    return new AccessError("unsupported", "no news server with TLS is configured", { advice });
  }
  if (configured.length > 0) {
    return new AccessError("unsupported", `no news server is configured for the group ${group ?? "*"}`, {
      advice: "check the option groups of each configured news server",
    });
  }
  const advice =
    'configure a server with news({ servers: ["news.example.org"] }), set the environment variable NNTPSERVER for the command, or use an "nntp:" URL';
  return new AccessError("unsupported", "no news server is configured", { advice });
}
