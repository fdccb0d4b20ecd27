export { type FileParts, fileSyntax, FileUrl } from "./file/syntax.ts";
export { type AddressFault, type MailtoParts, mailtoSyntax, MailtoUrl } from "./mailto/syntax.ts";
export {
  type NewsUrlKind,
  type NewsSchemeName,
  type NewsParts,
  newsSyntax,
  NewsUrl,
  snewsSyntax,
} from "./news/syntax.ts";
export { type NntpSchemeName, type NntpParts, nntpsSyntax, nntpSyntax, NntpUrl } from "./nntp/syntax.ts";
export { type ProsperoParts, prosperoSyntax, ProsperoUrl } from "./prospero/syntax.ts";
export { type TelnetParts, telnetSyntax, TelnetUrl } from "./telnet/syntax.ts";
export { type WaisUrlKind, type WaisParts, waisSyntax, WaisUrl } from "./wais/syntax.ts";
