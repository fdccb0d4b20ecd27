import type { Scheme } from "@anyscheme/core";
import { addDefaultOptions, checkOptions, type TlsOptions } from "@anyscheme/core/plugin";
import type { Syntax } from "@anyscheme/core/syntax";
import type { executeGopherPlan, GopherResource } from "./execute-plan.ts";
import {
  DEFAULT_GOPHER_LIMITS,
  GOPHER_REQUEST_OPTION_KINDS,
  GOPHER_OPTION_KINDS,
  type GopherRequestOptions,
  type GopherOptions,
  GOPHERS_OPTION_KINDS,
  type GophersOptions,
} from "./options.ts";
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
  checkOptions("gopher", options, GOPHER_OPTION_KINDS);
  return createGopherScheme("gopher", gopherSyntax, options);
}

/** Returns the gophers scheme: Gopher over TLS from the first byte on. */
export function gophers(
  options: GophersOptions = {},
): Scheme<GopherUrl<"gophers">, GopherResource<"gophers">, GopherRequestOptions> {
  checkOptions("gophers", options, GOPHERS_OPTION_KINDS);
  const { ca, ...common } = options;
  return createGopherScheme("gophers", gophersSyntax, common, { ca });
}

function createGopherScheme<Name extends GopherSchemeName>(
  name: Name,
  syntax: Syntax<GopherUrl<Name>, GopherUrlBuildParts>,
  options: GopherOptions,
  tls?: TlsOptions,
): Scheme<GopherUrl<Name>, GopherResource<Name>, GopherRequestOptions> {
  let executePlanModule: Promise<{ readonly executeGopherPlan: typeof executeGopherPlan }> | undefined;
  return {
    name,
    syntax,
    portRange: "default",
    // A Gopher+ item may redirect to its views (RFC 1738 §3.4.8).
    redirectSchemes: [name],
    requestOptions: GOPHER_REQUEST_OPTION_KINDS,
    limits: DEFAULT_GOPHER_LIMITS,
    supportedOptions: ["cache"],
    plan: (url, request) => planGopher(url, addDefaultOptions(options, request)),
    async access(plan, context, request) {
      // The first request imports `execute-plan.ts`, because parsing and planning do not need this module.
      executePlanModule ??= import("./execute-plan.ts");
      const { executeGopherPlan: access } = await executePlanModule;
      return access(plan as GopherPlan<Name>, context, addDefaultOptions(options, request), tls);
    },
  };
}
