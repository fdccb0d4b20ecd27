import type { AccessCode } from "@anyscheme/core";

/** The result of a reply: `"success"`, or the code of the error. */
export type ReplyClass = "success" | AccessCode;

/**
 * The reply codes of NNTP and its extensions. RFC 3977, RFC 4642 (TLS), RFC 4643 (login), RFC 4644 (streaming), RFC
 * 8054 (compression), and different codes of RFC 977 and RFC 2980. A success code that the plan does not expect is
 * an error, too.
 */
export const REPLY_CODES: Readonly<Record<string, readonly [result: ReplyClass, meaning: string]>> = {
  "100": ["success", "help text follows"],
  "101": ["success", "capability list follows"],
  "111": ["success", "server date and time"],
  "200": ["success", "service available, posting allowed"],
  "201": ["success", "service available, posting prohibited"],
  "202": ["success", "slave status noted (RFC 977)"],
  "205": ["unavailable", "connection closing"],
  "206": ["success", "compression active"],
  "211": ["success", "group selected"],
  "215": ["success", "information follows"],
  "220": ["success", "article follows"],
  "221": ["success", "article headers follow"],
  "222": ["success", "article body follows"],
  "223": ["success", "article exists"],
  "224": ["success", "overview information follows"],
  "225": ["success", "headers follow"],
  "230": ["success", "list of new articles follows"],
  "231": ["success", "list of new newsgroups follows"],
  "235": ["success", "article transferred"],
  "238": ["success", "send it (streaming)"],
  "239": ["success", "article transferred (streaming)"],
  "240": ["success", "article received"],
  "281": ["success", "authentication accepted"],
  "283": ["success", "authentication accepted, with success data"],
  "335": ["success", "send the article to be transferred"],
  "340": ["success", "send the article to be posted"],
  "381": ["success", "password required"],
  "382": ["success", "continue with TLS negotiation"],
  "383": ["success", "continue with SASL exchange"],
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

/** Classifies a reply code. The first digit decides for codes that are not in the table (RFC 3977 §3.2). */
export function classifyReply(code: string): ReplyClass {
  const known = Object.hasOwn(REPLY_CODES, code) ? REPLY_CODES[code] : undefined;
  if (known) return known[0];
  return code.startsWith("4") ? "unavailable" : code.startsWith("5") ? "unsupported" : "success";
}
