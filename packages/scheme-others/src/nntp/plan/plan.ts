import type { Plan } from "@anyscheme/core";
import { makePlan, type PlanOptions } from "@anyscheme/core/plugin";
import type { NntpOptions, NntpRequestOptions } from "../options.ts";
import type { NntpUrl } from "../syntax.ts";
import { flattenSteps, planArticle, planGroupList, planOverview, type RequestPlan } from "./request-plan.ts";

/** A plan for one server. */
export interface NntpPlan<U extends NntpUrl = NntpUrl> extends Plan<U> {
  /** The steps again, by their purpose. Not enumerable, so that JSON has each step once. */
  readonly request: RequestPlan;
}

/**
 * Plans an article, the articles of a group if the URL has no number, or the groups of a server if it has no group (RFC 1738 §3.7).
 * Only tolerant mode accepts a URL without a group.
 */
export function planNntp<U extends NntpUrl>(
  url: U,
  { order }: PlanOptions & NntpRequestOptions = {},
  options: NntpOptions = {},
): NntpPlan<U> {
  const { group, article } = url;
  const startTls = options.startTls === "require";
  const request =
    group === undefined
      ? planGroupList(url, undefined, startTls)
      : article === undefined
        ? planOverview(url, group, order === "newest-first", startTls)
        : planArticle(url, { group, number: article }, startTls);
  const plan = { ...makePlan(url, flattenSteps(request)), request };
  return Object.freeze(Object.defineProperty(plan, "request", { enumerable: false }));
}
