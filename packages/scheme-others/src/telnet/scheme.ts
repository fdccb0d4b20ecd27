import type { Scheme, ServiceResource } from "@anyscheme/core";
import { checkOptions } from "@anyscheme/core/plugin";
import { createTelnetResource } from "./service-resource.ts";
import {
  DEFAULT_TELNET_LIMITS,
  TELNET_SCHEME_OPTION_KINDS,
  type TelnetSchemeOptions,
} from "./scheme-options.ts";
import { planTelnet } from "./plan.ts";
import { telnetSyntax, type TelnetUrl } from "./syntax.ts";

/** Returns the telnet scheme. RFC 1738 §3.8. */
export function telnet(
  options: TelnetSchemeOptions = {},
): Scheme<TelnetUrl, ServiceResource, TelnetSchemeOptions> {
  checkOptions("telnet", options, TELNET_SCHEME_OPTION_KINDS);
  return {
    name: "telnet",
    syntax: telnetSyntax,
    requestOptions: TELNET_SCHEME_OPTION_KINDS,
    limits: DEFAULT_TELNET_LIMITS,
    plan: planTelnet,
    access: (plan, context, { acceptTelnetOptions = options.acceptTelnetOptions }) =>
      createTelnetResource(plan, context, { acceptTelnetOptions }),
  };
}
