import type { AccessContext, SecureOptions } from "@anyscheme/core";
import type { NntpCallOptions } from "./options.ts";
import type { NntpPlan } from "./plan.ts";
import { type NntpResource, retrieve } from "./retrieve.ts";

/** Performs a plan for one server. Throws `not-found`, `needs-credentials` and what else a refusal of the server means. */
export function accessNntp(
  { url, attempt }: NntpPlan,
  context: AccessContext,
  { order }: NntpCallOptions,
  tls: SecureOptions,
): Promise<NntpResource> {
  return retrieve(attempt, context, {
    newestFirst: order === "newest-first",
    tls,
    sourceOf: () => url,
  });
}
