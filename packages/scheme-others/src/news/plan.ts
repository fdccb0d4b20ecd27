import { AccessError, type Plan, type PlanOptions, type Step } from "@anyscheme/core";
import { makePlan, step } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import {
  articleAttempt,
  type Attempt,
  bracketed,
  groupsAttempt,
  overviewAttempt,
  stepsOf,
} from "../nntp/asking.ts";
import type { NntpUrl } from "../nntp/index.ts";
import type { NewsRequestOptions, NewsOptions } from "./options.ts";
import { isPattern, type KnownServer, serversFor } from "./servers.ts";
import type { NewsUrl } from "./syntax.ts";

/** A plan for a list of servers. */
export interface NewsPlan extends Plan<NewsUrl> {
  /** One for each server, in the order in which they are asked. */
  readonly attempts: readonly Attempt[];
}

/**
 * RFC 1738 §3.6: `*` all groups, a group its articles, an identifier the article. Throws `unsupported` when there is no server to
 * ask, and `refused-characters`.
 */
export function planNews(
  url: NewsUrl,
  { order }: PlanOptions & NewsRequestOptions,
  { startTls }: NewsOptions,
  known: readonly KnownServer[],
): NewsPlan {
  const make = attemptFor(url, order === "newest-first", startTls === "require");
  const servers = serversFor(url, known);
  if (servers.length === 0) throw noServer(url, known);
  const attempts = servers.map(make);
  const steps = attempts.flatMap((attempt, index) => [
    ...(index === 0 ? [] : [onward(attempt)]),
    ...stepsOf(attempt),
  ]);
  // Not enumerable: in JSON the steps stand once.
  const plan = { ...makePlan(url, steps), attempts: Object.freeze(attempts) };
  return Object.freeze(Object.defineProperty(plan, "attempts", { enumerable: false }));
}

function attemptFor(url: NewsUrl, newestFirst: boolean, startTls: boolean): (server: NntpUrl) => Attempt {
  const { article, group } = url;
  if (article !== undefined) {
    const id = bracketed(percentDecode(article));
    return (server) => articleAttempt(server, { id }, startTls);
  }
  if (group === undefined || isPattern(group)) return (server) => groupsAttempt(server, group, startTls);
  return (server) => overviewAttempt(server, group, newestFirst, startTls);
}

function onward({ server }: Attempt): Step {
  const text = `the next server, ${server.host}, when this one does not have it or cannot be reached`;
  return step("redirect", "3.6", text, "4");
}

function noServer({ group }: NewsUrl, known: readonly KnownServer[]): AccessError {
  if (known.length > 0) {
    return new AccessError("unsupported", `no news server is configured for the group ${group ?? "*"}`, {
      advice: "the option groups of each server says what it is asked for",
    });
  }
  const advice =
    'name one: news({ servers: ["news.example.org"] }), the environment variable NNTPSERVER of the command, or an "nntp:" URL';
  return new AccessError("unsupported", "no news server is configured", { advice });
}
