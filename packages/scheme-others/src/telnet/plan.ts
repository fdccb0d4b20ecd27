import type { Plan } from "@anyscheme/core";
import { createResolveAndConnectSteps, createPlan, createStep } from "@anyscheme/core/plugin";
import type { TelnetUrl } from "./syntax.ts";

/**
 * Plans the steps of the function `connect` of a telnet resource. Dereferencing a telnet URL opens no connection. The
 * client does not send the login of a telnet URL. RFC 1738 §3.8: "the <user> and <password> supplied are advisory
 * only".
 */
export function planTelnet(url: TelnetUrl): Plan<TelnetUrl> {
  return createPlan(url, [
    ...createResolveAndConnectSteps(url),
    createStep("open", "RFC 854", "an interactive session"),
  ]);
}
