export type { AcceptableTelnetOption } from "./negotiation.ts";
export type { TelnetLimits, TelnetSchemeOptions } from "./scheme-options.ts";
export { telnet } from "./scheme.ts";
export { type TelnetUrlBuildParts, telnetSyntax, TelnetUrl } from "./syntax.ts";
