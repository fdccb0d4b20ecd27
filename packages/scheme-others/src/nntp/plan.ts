import { makePlan, type Plan, type PlanOptions } from "@anyscheme/core";
import { articleAttempt, type Attempt, groupsAttempt, overviewAttempt, stepsOf } from "./attempt.ts";
import type { NntpCallOptions, NntpOptions } from "./options.ts";
import type { NntpUrl } from "./syntax.ts";

/** A plan for one server. */
export interface NntpPlan<U extends NntpUrl = NntpUrl> extends Plan<U> {
  readonly attempt: Attempt;
}

/**
 * RFC 1738 §3.7: the article of that number, without a number the articles of the group; and without a group, which only
 * tolerant mode reads, the groups of the server.
 */
export function planNntp<U extends NntpUrl>(
  url: U,
  { order }: PlanOptions & NntpCallOptions = {},
  settings: NntpOptions = {},
): NntpPlan<U> {
  const { group, article } = url;
  const startTls = settings.startTls === "require";
  const attempt =
    group === undefined
      ? groupsAttempt(url, undefined, startTls)
      : article === undefined
        ? overviewAttempt(url, group, order === "newest-first", startTls)
        : articleAttempt(url, { group, number: article }, startTls);
  // Not enumerable: in JSON the steps stand once.
  const plan = { ...makePlan(url, stepsOf(attempt)), attempt };
  return Object.freeze(Object.defineProperty(plan, "attempt", { enumerable: false }));
}
