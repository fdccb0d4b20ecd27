export { type NntpParts, nntpSyntax, NntpUrl } from "./syntax.ts";
