import {
  type CharacterClass,
  checkAuthority,
  EMPTY_HOST_FAULT,
  type UrlFaultDefinition,
  NON_RFC1738_HOST_FAULT,
  hostRegExpSource,
  isHost,
  type ParseDiagnostics,
  RESERVED_CHARACTER_FAULT,
  extendUchar,
} from "@anyscheme/core/syntax";
import {
  BAD_GROUP_URL_FAULT,
  checkGroupNameInUrl,
  decodeGroupNameEscapes,
  GROUP_NAME_REGEXP_SOURCE,
} from "../nntp/group-name.ts";

export { BAD_GROUP_URL_FAULT, decodeGroupNameEscapes };
export const BAD_MESSAGE_ID_URL_FAULT: UrlFaultDefinition = {
  code: "bad-message-id",
  section: "3.6",
  message: "a message identifier has the form <unique>@<full_domain_name>",
};
const MESSAGE_ID_BRACKETS_FAULT: UrlFaultDefinition = {
  code: "id-brackets",
  section: "3.6",
  message: "a message identifier is written without the enclosing '<' and '>'",
};
const SERVER_NOT_ALLOWED_FAULT: UrlFaultDefinition = {
  code: "server-not-allowed",
  section: "3.6",
  message: "a news URL names no server",
  allowedByRfc: "RFC 5538 §4",
};

// wildmat = wildmat-pattern *("," ["!"] wildmat-pattern)            RFC 3977 §4.1; without "*" and "?", a name
const WILDMAT_PATTERN = /^!?[A-Za-z0-9.+_*?-]+$/;
// article = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
export const messageIdCharacters: CharacterClass = extendUchar(";/?:&=");

/** Matches a message identifier between "<" and ">" (RFC 1036 §2.1.5) or their escapes. */
export const BRACKETED_MESSAGE_ID_PATTERN: RegExp = /^(?:<([^]*)>|%3C([^]*)%3E)$/i;

/** The source of a regular expression for `grouppart = "*" | group | article` (RFC 1738 §5). */
export const groupOrArticleRegExpSource: string = `(?:\\*|${GROUP_NAME_REGEXP_SOURCE}|(?!@)${messageIdCharacters.source}@${hostRegExpSource})`;

/**
 * Matches a news URL with a server (RFC 5538 §4). In RFC 1738, a news URL that begins with "news://" names an article
 * if it contains an "@".
 */
export const NEWS_URL_WITH_SERVER_PATTERN: RegExp = /^s?news:\/\//i;

/**
 * Checks the part of a news URL after the colon. A part with an "@" names an article (RFC 1738 §3.6). In modern mode, a
 * server may precede the group or the article (RFC 5538 §4).
 */
export function checkNewsUrlGrouppart(diagnostics: ParseDiagnostics): boolean {
  const { urlText: text, schemePartStart, schemePartEnd, mode } = diagnostics;
  const isArticle = diagnostics.indexOf("@", schemePartStart) < schemePartEnd;
  if (text.startsWith("//", schemePartStart) && (mode === "modern" || !isArticle))
    return checkNewsUrlServer(diagnostics);
  return isArticle
    ? checkMessageId(diagnostics, schemePartStart)
    : checkGroupOrPattern(diagnostics, schemePartStart);
}

/** True for a group name, and for a pattern of group names (RFC 3977 §4.1). A group name may begin with a digit. */
export function isGroupNameOrWildmat(text: string): boolean {
  return !text.startsWith("!") && text.split(",").every((pattern) => WILDMAT_PATTERN.test(pattern));
}

function checkGroupOrPattern(diagnostics: ParseDiagnostics, start: number): boolean {
  const { urlText: text, schemePartEnd } = diagnostics;
  return (
    text.slice(start, schemePartEnd) === "*" ||
    checkGroupNameInUrl(diagnostics, start, schemePartEnd, isGroupNameOrWildmat)
  );
}

// RFC 5538 §4: newsURL = "news:" [ server "/" ] ( article / newsgroups )
function checkNewsUrlServer(diagnostics: ParseDiagnostics): boolean {
  const { schemePartStart, schemePartEnd } = diagnostics;
  const length = diagnostics.indexOf("/", schemePartStart + 2) - schemePartStart;
  const advice = 'remove the server, or write an "nntp:" URL';
  if (!diagnostics.reportDeviation(SERVER_NOT_ALLOWED_FAULT, schemePartStart, length, advice)) return false;
  const slash = checkAuthority(diagnostics, { login: false });
  if (slash === undefined || slash + 1 >= schemePartEnd) return slash !== undefined;
  return diagnostics.indexOf("@", slash) < schemePartEnd
    ? checkMessageId(diagnostics, slash + 1)
    : checkGroupOrPattern(diagnostics, slash + 1);
}

function checkMessageId(diagnostics: ParseDiagnostics, start: number): boolean {
  let end = diagnostics.schemePartEnd;
  const { urlText: text } = diagnostics;
  if (BRACKETED_MESSAGE_ID_PATTERN.test(text.slice(start, end))) {
    const width = text.startsWith("<", start) ? 1 : 3;
    if (!diagnostics.reportDeviation(MESSAGE_ID_BRACKETS_FAULT, start, width, 'remove "<" and ">"'))
      return false;
    start += width;
    end -= width;
  }
  const at = text.indexOf("@", start);
  if (diagnostics.indexOf("@", at + 1, end) < end)
    return diagnostics.reportFault(RESERVED_CHARACTER_FAULT, at, 1, 'write "%40"');
  if (at === start)
    return diagnostics.reportFault(BAD_MESSAGE_ID_URL_FAULT, at, 0, "write the unique part before the '@'");
  return (
    diagnostics.checkCharacters(start, at, messageIdCharacters, { delimiters: false }) &&
    checkMessageIdDomain(diagnostics, start, at + 1, end)
  );
}

/**
 * Checks the domain of a message identifier that begins at `id`. The client never connects to the domain in a message
 * identifier.
 */
function checkMessageIdDomain(
  diagnostics: ParseDiagnostics,
  id: number,
  start: number,
  end: number,
): boolean {
  const { urlText: text } = diagnostics;
  if (isHost(text.slice(start, end))) return true;
  if (start === end) return diagnostics.reportFault(EMPTY_HOST_FAULT, start, 0, "write the full domain name");
  // In RFC 1738, a text that begins with "//" and has a host after the "@" is an article.
  if (text.startsWith("//", id) && diagnostics.mode === "rfc1738") {
    return diagnostics.reportFault(SERVER_NOT_ALLOWED_FAULT, id, 2, "write the message identifier only");
  }
  const advice = "RFC 1738 requires a full domain name after the '@'";
  return (
    diagnostics.checkCharacters(start, end, messageIdCharacters, { delimiters: false }) &&
    diagnostics.reportDeviation(NON_RFC1738_HOST_FAULT, start, end - start, advice)
  );
}
