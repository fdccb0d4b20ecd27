export { type FileUrlBuildParts, fileSyntax, FileUrl } from "./file/syntax.ts";
export { type MailAddressFault, type MailtoUrlBuildParts, mailtoSyntax, MailtoUrl } from "./mailto/syntax.ts";
export {
  type NewsUrlKind,
  type NewsOrSnewsSchemeName,
  type NewsUrlBuildParts,
  newsSyntax,
  NewsUrl,
  snewsSyntax,
} from "./news/syntax.ts";
export {
  type NntpSchemeName,
  type NntpUrlBuildParts,
  nntpsSyntax,
  nntpSyntax,
  NntpUrl,
} from "./nntp/syntax.ts";
export { type ProsperoUrlBuildParts, prosperoSyntax, ProsperoUrl } from "./prospero/syntax.ts";
export { type TelnetUrlBuildParts, telnetSyntax, TelnetUrl } from "./telnet/syntax.ts";
export { type WaisUrlKind, type WaisUrlBuildParts, waisSyntax, WaisUrl } from "./wais/syntax.ts";
