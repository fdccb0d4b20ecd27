import type { Scheme } from "@anyscheme/core";
import { checkOptions } from "@anyscheme/core/plugin";
import {
  GOPHER_REQUEST_OPTIONS,
  GOPHER_OPTIONS,
  type GopherRequestOptions,
  type GopherOptions,
  GOPHERS_OPTIONS,
  type GophersOptions,
} from "./options.ts";
import { type GopherPlan, planGopher } from "./plan.ts";
import type { GopherResource } from "./resource.ts";
import { gophersSyntax, gopherSyntax, type GopherUrl } from "./url/syntax.ts";

/** Returns the gopher scheme. RFC 1738 §3.4. */
export function gopher(
  options: GopherOptions = {},
): Scheme<GopherUrl<"gopher">, GopherResource<"gopher">, GopherRequestOptions> {
  checkOptions("gopher", options, GOPHER_OPTIONS);
  return {
    name: "gopher",
    syntax: gopherSyntax,
    speaksFirst: "client",
    // A Gopher+ item may redirect to its views (RFC 1738 §3.4.8).
    redirectSchemes: ["gopher"],
    requestOptions: GOPHER_REQUEST_OPTIONS,
    plan: (url, request) => planGopher(url, { ...options, ...request }),
    access: async (plan, context, request) => {
      // Loads the module at the first request, because parsing and planning do not need it.
      const { accessGopher } = await import("./access.ts");
      return accessGopher(plan as GopherPlan<"gopher">, context, { ...options, ...request });
    },
  };
}

/** Returns the gophers scheme: Gopher over TLS from the first byte on. */
export function gophers(
  options: GophersOptions = {},
): Scheme<GopherUrl<"gophers">, GopherResource<"gophers">, GopherRequestOptions> {
  checkOptions("gophers", options, GOPHERS_OPTIONS);
  const { ca, ...common } = options;
  return {
    name: "gophers",
    syntax: gophersSyntax,
    speaksFirst: "client",
    // A Gopher+ item may redirect to its views (RFC 1738 §3.4.8).
    redirectSchemes: ["gophers"],
    requestOptions: GOPHER_REQUEST_OPTIONS,
    plan: (url, request) => planGopher(url, { ...common, ...request }),
    access: async (plan, context, request) => {
      const { accessGopher } = await import("./access.ts");
      return accessGopher(plan as GopherPlan<"gophers">, context, { ...common, ...request }, { ca });
    },
  };
}
