import type { Scheme } from "@anyscheme/core";
import { checkOptions, type Syntax } from "@anyscheme/core/plugin";
import { executeNntpPlan, type NntpResource } from "./execute-plan.ts";
import {
  DEFAULT_NNTP_LIMITS,
  NNTP_SCHEME_OPTION_KINDS,
  NNTP_REQUEST_OPTION_KINDS,
  NNTPS_SCHEME_OPTION_KINDS,
  type NntpOptions,
  type NntpRequestOptions,
  type NntpsOptions,
} from "./scheme-options.ts";
import { type NntpPlan, planNntp } from "./plan.ts";
import {
  type NntpSchemeName,
  type NntpUrlBuildParts,
  nntpsSyntax,
  nntpSyntax,
  type NntpUrl,
} from "./syntax.ts";

type NntpScheme<Name extends NntpSchemeName> = Scheme<NntpUrl<Name>, NntpResource, NntpRequestOptions>;

/** Returns the scheme nntp (RFC 1738 §3.7, RFC 3977). */
export function nntp(options: NntpOptions = {}): NntpScheme<"nntp"> {
  checkOptions("nntp", options, NNTP_SCHEME_OPTION_KINDS);
  return createNntpScheme("nntp", nntpSyntax, options);
}

/** Returns the scheme nntps, for NNTP over TLS from the first byte on (RFC 8143 §2). */
export function nntps(options: NntpsOptions = {}): NntpScheme<"nntps"> {
  checkOptions("nntps", options, NNTPS_SCHEME_OPTION_KINDS);
  return createNntpScheme("nntps", nntpsSyntax, options);
}

function createNntpScheme<Name extends NntpSchemeName>(
  name: Name,
  syntax: Syntax<NntpUrl<Name>, NntpUrlBuildParts>,
  options: NntpOptions,
): NntpScheme<Name> {
  const { ca } = options;
  return {
    name,
    syntax,
    portRange: "unprivileged",
    requestOptions: NNTP_REQUEST_OPTION_KINDS,
    limits: DEFAULT_NNTP_LIMITS,
    plan: (url, request) => planNntp(url, request, options),
    access: (plan, context) =>
      executeNntpPlan((plan as NntpPlan<NntpUrl<Name>>).request, context, { ca }, () => plan.url),
  };
}
