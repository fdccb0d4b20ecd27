import type { Scheme } from "@anyscheme/core";
import { addDefaultOptions, checkOptions } from "@anyscheme/core/plugin";
import { executeWaisPlan, type WaisResource } from "./execute-plan.ts";
import { DEFAULT_WAIS_LIMITS, WAIS_SCHEME_OPTION_KINDS, type WaisOptions } from "./scheme-options.ts";
import { planWais, type WaisPlan } from "./plan.ts";
import { waisSyntax, type WaisUrl } from "./syntax.ts";

/** Returns the scheme wais (RFC 1738 §3.9). */
export function wais(options: WaisOptions = {}): Scheme<WaisUrl, WaisResource, WaisOptions> {
  checkOptions("wais", options, WAIS_SCHEME_OPTION_KINDS);
  return {
    name: "wais",
    syntax: waisSyntax,
    portRange: "default",
    requestOptions: WAIS_SCHEME_OPTION_KINDS,
    limits: DEFAULT_WAIS_LIMITS,
    plan: (url, request) => planWais(url, addDefaultOptions(options, request)),
    access: (plan, context, request) =>
      executeWaisPlan(plan as WaisPlan, context, addDefaultOptions(options, request)),
  };
}
