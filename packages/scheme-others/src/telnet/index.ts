export { type TelnetParts, telnetSyntax, TelnetUrl } from "./syntax.ts";
