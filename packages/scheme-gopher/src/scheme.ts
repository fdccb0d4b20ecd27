import type { Scheme } from "@anyscheme/core";
import { checkOptions } from "@anyscheme/core/plugin";
import type * as Access from "./access.ts";
import {
  GOPHER_CALL_OPTIONS,
  GOPHER_OPTIONS,
  type GopherRequestOptions,
  type GopherOptions,
  GOPHERS_OPTIONS,
  type GophersOptions,
} from "./options.ts";
import { planGopher } from "./plan.ts";
import type { GopherResource } from "./resource.ts";
import { gophersSyntax, gopherSyntax, type GopherUrl } from "./syntax.ts";

/** Loaded at the first access: parsing and planning do not need it. */
let room: typeof Access | undefined;

/** The gopher scheme. RFC 1738 §3.4. */
export function gopher(
  options: GopherOptions = {},
): Scheme<GopherUrl<"gopher">, GopherResource<"gopher">, GopherRequestOptions> {
  checkOptions("gopher", options, GOPHER_OPTIONS);
  return {
    name: "gopher",
    syntax: gopherSyntax,
    speaksFirst: "client",
    // A Gopher+ item leads to its views (RFC 1738 §3.4.8).
    redirectSchemes: ["gopher"],
    requestOptions: GOPHER_CALL_OPTIONS,
    plan: (url, call) => planGopher(url, { ...options, ...call }),
    access: async (plan, context, call) => {
      room ??= await import("./access.ts");
      return room.accessGopher(plan, context, { ...options, ...call });
    },
  };
}

/** Gopher over TLS from the first byte on. */
export function gophers(
  options: GophersOptions = {},
): Scheme<GopherUrl<"gophers">, GopherResource<"gophers">, GopherRequestOptions> {
  checkOptions("gophers", options, GOPHERS_OPTIONS);
  const { ca, ...common } = options;
  return {
    name: "gophers",
    syntax: gophersSyntax,
    speaksFirst: "client",
    // A Gopher+ item leads to its views (RFC 1738 §3.4.8).
    redirectSchemes: ["gophers"],
    requestOptions: GOPHER_CALL_OPTIONS,
    plan: (url, call) => planGopher(url, { ...common, ...call }),
    access: async (plan, context, call) => {
      room ??= await import("./access.ts");
      return room.accessGopher(plan, context, { ...common, ...call }, { ca });
    },
  };
}
