import { AccessError, type Plan, type PlanOptions, type Step } from "@anyscheme/core";
import { makePlan, step } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import {
  planArticle,
  type RequestPlan,
  toMessageIdArgument,
  planGroupList,
  planOverview,
  flattenSteps,
} from "../nntp/asking.ts";
import type { NntpUrl } from "../nntp/index.ts";
import type { NewsRequestOptions, NewsOptions } from "./options.ts";
import { isPattern, type ConfiguredServer, serversFor } from "./servers.ts";
import type { NewsUrl } from "./syntax.ts";

/** A plan for a list of servers. */
export interface NewsPlan extends Plan<NewsUrl> {
  /** One for each server, in the order in which they are asked. */
  readonly requests: readonly RequestPlan[];
}

/**
 * RFC 1738 §3.6: `*` all groups, a group its articles, an identifier the article. Throws `unsupported` when there is no server to
 * ask, and `refused-characters`.
 */
export function planNews(
  url: NewsUrl,
  { order }: PlanOptions & NewsRequestOptions,
  { startTls }: NewsOptions,
  known: readonly ConfiguredServer[],
): NewsPlan {
  const make = requestPlanner(url, order === "newest-first", startTls === "require");
  const servers = serversFor(url, known);
  if (servers.length === 0) throw noServerError(url, known);
  const requests = servers.map(make);
  const steps = requests.flatMap((request, index) => [
    ...(index === 0 ? [] : [nextServerStep(request)]),
    ...flattenSteps(request),
  ]);
  // Not enumerable: in JSON the steps stand once.
  const plan = { ...makePlan(url, steps), requests: Object.freeze(requests) };
  return Object.freeze(Object.defineProperty(plan, "requests", { enumerable: false }));
}

function requestPlanner(
  url: NewsUrl,
  newestFirst: boolean,
  startTls: boolean,
): (server: NntpUrl) => RequestPlan {
  const { article, group } = url;
  if (article !== undefined) {
    const id = toMessageIdArgument(percentDecode(article));
    return (server) => planArticle(server, { id }, startTls);
  }
  if (group === undefined || isPattern(group)) return (server) => planGroupList(server, group, startTls);
  return (server) => planOverview(server, group, newestFirst, startTls);
}

function nextServerStep({ server }: RequestPlan): Step {
  const text = `the next server, ${server.host}, when this one does not have it or cannot be reached`;
  return step("redirect", "3.6", text, "4");
}

function noServerError({ group }: NewsUrl, known: readonly ConfiguredServer[]): AccessError {
  if (known.length > 0) {
    return new AccessError("unsupported", `no news server is configured for the group ${group ?? "*"}`, {
      advice: "the option groups of each server says what it is asked for",
    });
  }
  const advice =
    'name one: news({ servers: ["news.example.org"] }), the environment variable NNTPSERVER of the command, or an "nntp:" URL';
  return new AccessError("unsupported", "no news server is configured", { advice });
}
