export { type FileParts, fileSyntax, FileUrl } from "./file/syntax.ts";
export { type AddressFault, type MailtoParts, mailtoSyntax, MailtoUrl } from "./mailto/syntax.ts";
export {
  type NewsKind,
  type NewsName,
  type NewsParts,
  newsSyntax,
  NewsUrl,
  snewsSyntax,
} from "./news/syntax.ts";
export { type NntpName, type NntpParts, nntpsSyntax, nntpSyntax, NntpUrl } from "./nntp/syntax.ts";
export { type ProsperoParts, prosperoSyntax, ProsperoUrl } from "./prospero/syntax.ts";
export { type TelnetParts, telnetSyntax, TelnetUrl } from "./telnet/syntax.ts";
export { type WaisKind, type WaisParts, waisSyntax, WaisUrl } from "./wais/syntax.ts";
