import type { Plan, PlanOptions, Step } from "@anyscheme/core";
import { planArticle, type RequestPlan, planGroupList, planOverview, flattenSteps } from "./request-plan.ts";
import type { NntpRequestOptions, NntpOptions } from "../options.ts";
import type { NntpUrl } from "../syntax.ts";

/** A plan for one server. */
export interface NntpPlan<U extends NntpUrl = NntpUrl> extends Plan<U> {
  readonly request: RequestPlan;
}

/**
 * RFC 1738 §3.7: the article of that number, without a number the articles of the group; and without a group, which only
 * tolerant mode reads, the groups of the server.
 */
export function planNntp<U extends NntpUrl>(
  url: U,
  { order }: PlanOptions & NntpRequestOptions = {},
  settings: NntpOptions = {},
): NntpPlan<U> {
  const { group, article } = url;
  const startTls = settings.startTls === "require";
  const attempt =
    group === undefined
      ? planGroupList(url, undefined, startTls)
      : article === undefined
        ? planOverview(url, group, order === "newest-first", startTls)
        : planArticle(url, { group, number: article }, startTls);
  return new AttemptPlan(url, attempt);
}

/** The attempt is no property of its own, so that in JSON the steps stand once. */
class AttemptPlan<U extends NntpUrl> implements NntpPlan<U> {
  readonly url: U;
  readonly steps: readonly Step[];
  readonly #attempt: RequestPlan;

  constructor(url: U, request: RequestPlan) {
    this.url = url;
    this.steps = Object.freeze(flattenSteps(request));
    this.#attempt = request;
    Object.freeze(this);
  }

  get request(): RequestPlan {
    return this.#attempt;
  }
}
