import type { Scheme } from "@anyscheme/core";
import { addDefaultOptions, checkOptions } from "@anyscheme/core/plugin";
import type { Syntax } from "@anyscheme/core/syntax";
import type { GopherResource } from "./execute-plan.ts";
import {
  DEFAULT_GOPHER_LIMITS,
  GOPHER_REQUEST_OPTION_KINDS,
  GOPHER_SCHEME_OPTION_KINDS,
  type GopherRequestOptions,
  type GopherOptions,
  GOPHERS_SCHEME_OPTION_KINDS,
  type GophersOptions,
} from "./scheme-options.ts";
import { type GopherPlan, planGopher } from "./plan.ts";
import {
  type GopherSchemeName,
  type GopherUrlBuildParts,
  gophersSyntax,
  gopherSyntax,
  type GopherUrl,
} from "./syntax.ts";

/** Returns the gopher scheme. RFC 1738 §3.4. */
export function gopher(
  options: GopherOptions = {},
): Scheme<GopherUrl<"gopher">, GopherResource<"gopher">, GopherRequestOptions> {
  checkOptions("gopher", options, GOPHER_SCHEME_OPTION_KINDS);
  return createGopherScheme("gopher", gopherSyntax, options);
}

/** Returns the gophers scheme: Gopher over TLS from the first byte on. */
export function gophers(
  options: GophersOptions = {},
): Scheme<GopherUrl<"gophers">, GopherResource<"gophers">, GopherRequestOptions> {
  checkOptions("gophers", options, GOPHERS_SCHEME_OPTION_KINDS);
  return createGopherScheme("gophers", gophersSyntax, options);
}

function createGopherScheme<Name extends GopherSchemeName>(
  name: Name,
  syntax: Syntax<GopherUrl<Name>, GopherUrlBuildParts>,
  schemeOptions: GophersOptions,
): Scheme<GopherUrl<Name>, GopherResource<Name>, GopherRequestOptions> {
  const { ca, ...defaultRequestOptions } = schemeOptions;
  return {
    name,
    syntax,
    portRange: "default",
    // A Gopher+ item may redirect to its views (RFC 1738 §3.4.8).
    redirectSchemes: [name],
    requestOptions: GOPHER_REQUEST_OPTION_KINDS,
    limits: DEFAULT_GOPHER_LIMITS,
    supportedOptions: ["cache"],
    plan: (url, requestOptions) => planGopher(url, addDefaultOptions(defaultRequestOptions, requestOptions)),
    async access(plan, context, requestOptions) {
      // Parsing and planning load no network code.
      const { executeGopherPlan } = await import("./execute-plan.ts");
      const allOptions = addDefaultOptions(defaultRequestOptions, requestOptions);
      return executeGopherPlan(plan as GopherPlan<Name>, context, allOptions, { ca });
    },
  };
}
