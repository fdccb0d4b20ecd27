import type { AccessContext, TlsOptions } from "@anyscheme/core/plugin";
import type { NntpRequestOptions } from "./options.ts";
import type { NntpPlan } from "./plan/plan.ts";
import { type NntpResource, retrieve } from "./retrieve.ts";

/** Performs a plan for one server. Throws `not-found`, `authentication-required` and what else a refusal of the server means. */
export function accessNntp(
  { url, request: attempt }: NntpPlan,
  context: AccessContext,
  { order }: NntpRequestOptions,
  tls: TlsOptions,
): Promise<NntpResource> {
  return retrieve(attempt, context, {
    newestFirst: order === "newest-first",
    tls,
    sourceOf: () => url,
  });
}
