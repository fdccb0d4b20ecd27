import type { Resource, Scheme } from "@anyscheme/core";
import { addDefaultOptions, checkOptions } from "@anyscheme/core/plugin";
import { executeProsperoPlan, statProspero } from "./execute-plan.ts";
import {
  DEFAULT_PROSPERO_LIMITS,
  PROSPERO_SCHEME_OPTION_KINDS,
  type ProsperoOptions,
} from "./scheme-options.ts";
import { type ProsperoObjectInfoPlan, planProsperoStat, planProspero, type ProsperoPlan } from "./plan.ts";
import { prosperoSyntax, type ProsperoUrl } from "./syntax.ts";

/**
 * Returns the scheme prospero (RFC 1738 §3.11). An access method of a Prospero object may redirect to another scheme.
 */
export function prospero(options: ProsperoOptions = {}): Scheme<ProsperoUrl, Resource, ProsperoOptions> {
  checkOptions("prospero", options, PROSPERO_SCHEME_OPTION_KINDS);
  return {
    name: "prospero",
    syntax: prosperoSyntax,
    portRange: "default",
    // RFC 1738 §3.11: access methods "might themselves be represented as different URLs".
    redirectSchemes: ["prospero", "ftp", "gopher", "wais", "telnet"],
    requestOptions: PROSPERO_SCHEME_OPTION_KINDS,
    limits: DEFAULT_PROSPERO_LIMITS,
    plan: (url, request) => planProspero(url, addDefaultOptions(options, request)),
    access: (plan, context, request) =>
      executeProsperoPlan(plan as ProsperoPlan, context, addDefaultOptions(options, request)),
    operations: {
      stat: {
        plan: (url, request) => planProsperoStat(url, addDefaultOptions(options, request)),
        perform: (plan, context) => statProspero(plan as ProsperoObjectInfoPlan, context),
      },
    },
  };
}
