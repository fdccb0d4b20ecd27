import type { Plan } from "@anyscheme/core";
import { makePlan, type PlanOptions } from "@anyscheme/core/plugin";
import type { NntpOptions, NntpRequestOptions } from "../options.ts";
import type { NntpUrl } from "../syntax.ts";
import { flattenSteps, planArticle, planGroupList, planOverview, type RequestPlan } from "./request-plan.ts";

/** The plan of an NNTP request to one server. */
export interface NntpPlan<U extends NntpUrl = NntpUrl> extends Plan<U> {
  /** The steps of the plan by their purpose. Not enumerable, so that JSON contains each step once. */
  readonly request: RequestPlan;
}

/**
 * Plans an article, the articles of a group, or the groups of a server (RFC 1738 §3.7). A URL without a number
 * means a group, and a URL without a group means a server. Only tolerant mode accepts a URL without a group.
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
