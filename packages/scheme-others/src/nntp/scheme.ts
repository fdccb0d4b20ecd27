import type { Scheme } from "@anyscheme/core";
import { checkOptions } from "@anyscheme/core/plugin";
import { accessNntp } from "./access.ts";
import {
  NNTP_CALL_OPTIONS,
  NNTP_OPTIONS,
  type NntpRequestOptions,
  type NntpOptions,
  NNTPS_OPTIONS,
  type NntpsOptions,
} from "./options.ts";
import { type NntpPlan, planNntp } from "./plan/plan.ts";
import type { NntpResource } from "./retrieve.ts";
import { nntpsSyntax, nntpSyntax, type NntpUrl } from "./syntax.ts";

/** The scheme nntp. RFC 1738 §3.7, RFC 3977. */
export function nntp(options: NntpOptions = {}): Scheme<NntpUrl<"nntp">, NntpResource, NntpRequestOptions> {
  checkOptions("nntp", options, NNTP_OPTIONS);
  const { ca } = options;
  return {
    name: "nntp",
    syntax: nntpSyntax,
    speaksFirst: "server",
    requestOptions: NNTP_CALL_OPTIONS,
    plan: (url, call) => planNntp(url, call, options),
    access: (plan, context, call) => accessNntp(plan as NntpPlan, context, call, { ca }),
  };
}

/** NNTP over TLS from the first byte on. RFC 8143 §2. */
export function nntps(
  options: NntpsOptions = {},
): Scheme<NntpUrl<"nntps">, NntpResource, NntpRequestOptions> {
  checkOptions("nntps", options, NNTPS_OPTIONS);
  const { ca } = options;
  return {
    name: "nntps",
    syntax: nntpsSyntax,
    speaksFirst: "server",
    requestOptions: NNTP_CALL_OPTIONS,
    plan: (url, call) => planNntp(url, call),
    access: (plan, context, call) => accessNntp(plan as NntpPlan, context, call, { ca }),
  };
}
