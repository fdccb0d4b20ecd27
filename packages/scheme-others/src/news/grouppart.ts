import {
  type CharacterClass,
  checkAuthority,
  EMPTY_HOST,
  type Fault,
  HOST_FORM,
  hostSource,
  isHost,
  type Diagnostics,
  RESERVED,
  ucharPlus,
} from "@anyscheme/core/syntax";
import { BAD_GROUP, checkGroupName, decodeGroupName, groupSource } from "../nntp/group-name.ts";

export { BAD_GROUP, decodeGroupName };
export const BAD_MESSAGE_ID: Fault = [
  "bad-message-id",
  "3.6",
  "a message identifier has the form <unique>@<full_domain_name>",
];
const ID_BRACKETS: Fault = [
  "id-brackets",
  "3.6",
  "a message identifier is written without the enclosing '<' and '>'",
];
const SERVER_NOT_ALLOWED: Fault = ["server-not-allowed", "3.6", "a news URL names no server"];

// wildmat = wildmat-pattern *("," ["!"] wildmat-pattern)            RFC 3977 §4.1; without "*" and "?", a name
const WILDMAT_PATTERN = /^!?[A-Za-z0-9.+_*?-]+$/;
// article = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
export const uniqueCharacters: CharacterClass = ucharPlus(";/?:&=");

/** Matches a message identifier between "<" and ">" (RFC 1036 §2.1.5) or their escapes. */
export const BRACKETED_MESSAGE_ID: RegExp = /^(?:<([^]*)>|%3C([^]*)%3E)$/i;

/** The source of a regular expression for `grouppart = "*" | group | article` (RFC 1738 §5). */
export const grouppartSource: string = `(?:\\*|${groupSource}|(?!@)${uniqueCharacters.source}@${hostSource})`;

/** Checks the part after the colon. With a "@" it is an article (RFC 1738 §3.6). */
export function checkGrouppart(reading: Diagnostics): boolean {
  const { text, start, end } = reading;
  if (reading.next("@", start) < end) return checkArticle(reading);
  return text.startsWith("//", start) ? checkServer(reading) : checkGroup(reading, start);
}

/** True for the name of a group, which may begin with a digit, and for a pattern of names (RFC 3977 §4.1). */
export function isWildmat(text: string): boolean {
  return !text.startsWith("!") && text.split(",").every((pattern) => WILDMAT_PATTERN.test(pattern));
}

function checkGroup(reading: Diagnostics, start: number): boolean {
  const { text, end } = reading;
  return text.slice(start, end) === "*" || checkGroupName(reading, start, end, isWildmat);
}

// RFC 5538: newsURL = "news:" [ server "/" ] ( article / newsgroups )
function checkServer(reading: Diagnostics): boolean {
  const { start, end } = reading;
  const length = reading.next("/", start + 2) - start;
  const advice = 'remove the server, or write an "nntp:" URL';
  if (!reading.reportDeviation(SERVER_NOT_ALLOWED, start, length, advice)) return false;
  const slash = checkAuthority(reading, { login: false });
  return slash !== undefined && (slash + 1 >= end || checkGroup(reading, slash + 1));
}

function checkArticle(reading: Diagnostics): boolean {
  let { start, end } = reading;
  const { text } = reading;
  if (BRACKETED_MESSAGE_ID.test(text.slice(start, end))) {
    const width = text.startsWith("<", start) ? 1 : 3;
    if (!reading.reportDeviation(ID_BRACKETS, start, width, 'remove "<" and ">"')) return false;
    start += width;
    end -= width;
  }
  const at = text.indexOf("@", start);
  if (reading.next("@", at + 1, end) < end) return reading.reportFault(RESERVED, at, 1, 'write "%40"');
  if (at === start) return reading.reportFault(BAD_MESSAGE_ID, at, 0, "write the unique part before the '@'");
  return reading.check(start, at, uniqueCharacters) && checkDomain(reading, start, at + 1, end);
}

/** Checks the domain of a message identifier that begins at `id`. No connection is made to that host. */
function checkDomain(reading: Diagnostics, id: number, start: number, end: number): boolean {
  const { text } = reading;
  if (isHost(text.slice(start, end))) return true;
  if (start === end) return reading.reportFault(EMPTY_HOST, start, 0, "write the full domain name");
  // With a host after the "@", RFC 1738 defines this as an article. Without a host the text is ambiguous.
  if (text.startsWith("//", id)) {
    return reading.reportFault(SERVER_NOT_ALLOWED, id, 2, "write the message identifier only");
  }
  const advice = "RFC 1738 requires a full domain name after the '@'";
  return (
    reading.check(start, end, uniqueCharacters) &&
    reading.reportDeviation(HOST_FORM, start, end - start, advice)
  );
}
