import type { Scheme } from "@anyscheme/core";
import { checkOptions } from "@anyscheme/core/plugin";
import { accessNntp, type NntpResource } from "./access.ts";
import {
  NNTP_REQUEST_OPTIONS,
  NNTP_OPTIONS,
  type NntpRequestOptions,
  type NntpOptions,
  NNTPS_OPTIONS,
  type NntpsOptions,
} from "./options.ts";
import { type NntpPlan, planNntp } from "./plan/plan.ts";
import { nntpsSyntax, nntpSyntax, type NntpUrl } from "./syntax.ts";

/** Returns the scheme nntp (RFC 1738 §3.7, RFC 3977). */
export function nntp(options: NntpOptions = {}): Scheme<NntpUrl<"nntp">, NntpResource, NntpRequestOptions> {
  checkOptions("nntp", options, NNTP_OPTIONS);
  const { ca } = options;
  return {
    name: "nntp",
    syntax: nntpSyntax,
    speaksFirst: "server",
    requestOptions: NNTP_REQUEST_OPTIONS,
    plan: (url, request) => planNntp(url, request, options),
    access: (plan, context) => accessNntp(plan as NntpPlan, context, { ca }),
  };
}

/** Returns the scheme nntps, for NNTP over TLS from the first byte on (RFC 8143 §2). */
export function nntps(
  options: NntpsOptions = {},
): Scheme<NntpUrl<"nntps">, NntpResource, NntpRequestOptions> {
  checkOptions("nntps", options, NNTPS_OPTIONS);
  const { ca } = options;
  return {
    name: "nntps",
    syntax: nntpsSyntax,
    speaksFirst: "server",
    requestOptions: NNTP_REQUEST_OPTIONS,
    plan: (url, request) => planNntp(url, request),
    access: (plan, context) => accessNntp(plan as NntpPlan, context, { ca }),
  };
}
