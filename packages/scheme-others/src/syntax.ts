export { type FileUrlParts, fileSyntax, FileUrl } from "./file/syntax.ts";
export { type MailAddressFault, type MailtoUrlParts, mailtoSyntax, MailtoUrl } from "./mailto/syntax.ts";
export {
  type NewsUrlKind,
  type NewsSchemeName,
  type NewsUrlParts,
  newsSyntax,
  NewsUrl,
  snewsSyntax,
} from "./news/syntax.ts";
export { type NntpSchemeName, type NntpUrlParts, nntpsSyntax, nntpSyntax, NntpUrl } from "./nntp/syntax.ts";
export { type ProsperoUrlParts, prosperoSyntax, ProsperoUrl } from "./prospero/syntax.ts";
export { type TelnetUrlParts, telnetSyntax, TelnetUrl } from "./telnet/syntax.ts";
export { type WaisUrlKind, type WaisUrlParts, waisSyntax, WaisUrl } from "./wais/syntax.ts";
