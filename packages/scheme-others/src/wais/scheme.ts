import type { Scheme } from "@anyscheme/core";
import { accessWais, type WaisResource } from "./access.ts";
import type { WaisOptions } from "./options.ts";
import { planWais, type WaisPlan } from "./plan.ts";
import { waisSyntax, type WaisUrl } from "./syntax.ts";

/** The wais scheme. RFC 1738 §3.9. */
export function wais(options: WaisOptions = {}): Scheme<WaisUrl, WaisResource, WaisOptions> {
  return {
    name: "wais",
    syntax: waisSyntax,
    speaksFirst: "client",
    plan: (url, call) => planWais(url, { ...options, ...call }),
    access: (plan, context, call) => accessWais(plan as WaisPlan, context, { ...options, ...call }),
  };
}
