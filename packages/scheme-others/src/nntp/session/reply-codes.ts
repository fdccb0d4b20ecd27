import type { AccessCode } from "@anyscheme/core";

/** What a reply means to us: to go on, or one of the reasons why an access fails. */
export type ReplyClass = "go on" | AccessCode;

/**
 * Every reply code of RFC 3977, with those of RFC 4642 (TLS), RFC 4643 (login), RFC 4644 (streaming), RFC 8054 (compression)
 * and, where they differ, of RFC 977 and RFC 2980. A success is one only where the plan waits for it.
 */
export const REPLY_CODES: Readonly<Record<string, readonly [meaning: ReplyClass, words: string]>> = {
  "100": ["go on", "help text follows"],
  "101": ["go on", "capability list follows"],
  "111": ["go on", "server date and time"],
  "200": ["go on", "service available, posting allowed"],
  "201": ["go on", "service available, posting prohibited"],
  "202": ["go on", "slave status noted (RFC 977)"],
  "205": ["unavailable", "connection closing"],
  "206": ["go on", "compression active"],
  "211": ["go on", "group selected"],
  "215": ["go on", "information follows"],
  "220": ["go on", "article follows"],
  "221": ["go on", "article headers follow"],
  "222": ["go on", "article body follows"],
  "223": ["go on", "article exists"],
  "224": ["go on", "overview information follows"],
  "225": ["go on", "headers follow"],
  "230": ["go on", "list of new articles follows"],
  "231": ["go on", "list of new newsgroups follows"],
  "235": ["go on", "article transferred"],
  "238": ["go on", "send it (streaming)"],
  "239": ["go on", "article transferred (streaming)"],
  "240": ["go on", "article received"],
  "281": ["go on", "authentication accepted"],
  "283": ["go on", "authentication accepted, with success data"],
  "335": ["go on", "send the article to be transferred"],
  "340": ["go on", "send the article to be posted"],
  "381": ["go on", "password required"],
  "382": ["go on", "continue with TLS negotiation"],
  "383": ["go on", "continue with SASL exchange"],
  "400": ["unavailable", "service temporarily unavailable"],
  "401": ["unsupported", "the server is in the wrong mode"],
  "403": ["unavailable", "internal fault"],
  "411": ["not-found", "no such newsgroup"],
  "412": ["protocol", "no newsgroup selected"],
  "420": ["not-found", "current article number is invalid"],
  "421": ["not-found", "no next article"],
  "422": ["not-found", "no previous article"],
  "423": ["not-found", "no article with that number"],
  "430": ["not-found", "no article with that message-id"],
  "431": ["unavailable", "try sending it again later (streaming)"],
  "435": ["permission-denied", "article not wanted"],
  "436": ["unavailable", "transfer not possible, try again later"],
  "437": ["permission-denied", "transfer rejected"],
  "438": ["permission-denied", "article not wanted (streaming)"],
  "439": ["permission-denied", "transfer rejected (streaming)"],
  "440": ["permission-denied", "posting not permitted"],
  "441": ["permission-denied", "posting failed"],
  "450": ["authentication-required", "authorization required (RFC 2980)"],
  "452": ["permission-denied", "authorization rejected (RFC 2980)"],
  "480": ["authentication-required", "authentication required"],
  "481": ["permission-denied", "authentication failed"],
  "482": ["permission-denied", "authentication rejected (RFC 2980), or out of sequence"],
  "483": ["permission-denied", "encryption required"],
  "500": ["unsupported", "unknown command"],
  "501": ["unsupported", "syntax error in command"],
  "502": ["permission-denied", "access denied, or service permanently unavailable"],
  "503": ["unsupported", "feature not supported"],
  "504": ["protocol", "error in base64-encoding"],
  "580": ["unavailable", "TLS negotiation cannot be started"],
};

/** What a reply means; codes that are not in the table by their first digit. RFC 3977 §3.2. */
export function classifyReply(code: string): ReplyClass {
  const known = Object.hasOwn(REPLY_CODES, code) ? REPLY_CODES[code] : undefined;
  if (known) return known[0];
  return code.startsWith("4") ? "unavailable" : code.startsWith("5") ? "unsupported" : "go on";
}
