import {
  type CharacterClass,
  checkAuthority,
  hostSource,
  isHost,
  type Reading,
  ucharAnd,
} from "@anyscheme/core/syntax";

// group = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]            RFC 1738 §5
const groupSource = "[A-Za-z][A-Za-z0-9.+_-]*";
const wholeGroup = new RegExp(`^${groupSource}$`);
// wildmat = wildmat-pattern *("," ["!"] wildmat-pattern)            RFC 3977 §4.1; without "*" and "?", a name
const wildmatPattern = /^!?[A-Za-z0-9.+_*?-]+$/;
// article = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
export const uniqueCharacters: CharacterClass = ucharAnd(";/?:&=");

/** A message identifier with the "<" and ">" of RFC 1036 §2.1.5, or with their escapes. */
export const bracketed: RegExp = /^(?:<([^]*)>|%3C([^]*)%3E)$/i;

/** `grouppart = "*" | group | article` as the source of a regular expression. RFC 1738 §5. */
export const grouppartSource: string = `(?:\\*|${groupSource}|(?!@)${uniqueCharacters.source}@${hostSource})`;

/** Says what is wrong with what follows the colon. A "@" makes an article of it, RFC 1738 §3.6. */
export function checkGrouppart(reading: Reading): boolean {
  const { text, start, end } = reading;
  const at = text.indexOf("@", start);
  if (at >= 0 && at < end) return checkArticle(reading);
  return text.startsWith("//", start) ? checkServer(reading) : checkGroup(reading, start);
}

/** Whether the text is the name of a group, with a first digit too, or a pattern of such names. RFC 3977 §4.1. */
export function isWildmat(text: string): boolean {
  return !text.startsWith("!") && text.split(",").every((pattern) => wildmatPattern.test(pattern));
}

function checkGroup(reading: Reading, start: number): boolean {
  const name = reading.text.slice(start, reading.end);
  if (name === "*" || wholeGroup.test(name)) return true;
  const advice = "name one group: a letter, then letters, digits, '-', '.', '+' and '_'";
  if (isWildmat(name)) return reading.depart("group-form", start, name.length, advice);
  const stray = /[^A-Za-z0-9.+_-]/.exec(name);
  return reading.refuse("bad-group", start + (stray?.index ?? 0), stray ? 1 : name.length, advice);
}

// RFC 5538: newsURL = "news:" [ server "/" ] ( article / newsgroups )
function checkServer(reading: Reading): boolean {
  const { text, start, end } = reading;
  const next = text.indexOf("/", start + 2);
  const length = (next < 0 || next > end ? end : next) - start;
  const advice = 'leave the server out, or write an "nntp:" URL';
  if (!reading.depart("server-not-allowed", start, length, advice)) return false;
  const slash = checkAuthority(reading, { login: false });
  return slash !== undefined && (slash + 1 >= end || checkGroup(reading, slash + 1));
}

function checkArticle(reading: Reading): boolean {
  let { start, end } = reading;
  const { text } = reading;
  if (bracketed.test(text.slice(start, end))) {
    const width = text.startsWith("<", start) ? 1 : 3;
    if (!reading.depart("id-brackets", start, width, 'leave "<" and ">" out')) return false;
    start += width;
    end -= width;
  }
  const at = text.indexOf("@", start);
  const second = text.indexOf("@", at + 1);
  if (second >= 0 && second < end) return reading.refuse("reserved", at, 1, 'write "%40"');
  if (at === start) return reading.refuse("bad-message-id", at, 0, "write the unique part before the '@'");
  return reading.check(start, at, uniqueCharacters) && checkDomain(reading, start, at + 1, end);
}

/** Checks the right side of a message identifier that begins at `id`. Nothing is ever asked of that host. */
function checkDomain(reading: Reading, id: number, start: number, end: number): boolean {
  const { text } = reading;
  if (isHost(text.slice(start, end))) return true;
  if (start === end) return reading.refuse("empty-host", start, 0, "write the full domain name");
  // With a host behind the "@" this is an article by RFC 1738; without one it could be meant either way.
  if (text.startsWith("//", id)) {
    return reading.refuse("server-not-allowed", id, 2, "write the message identifier only");
  }
  const advice = "RFC 1738 has no form for it: the right side is a full domain name";
  return (
    reading.check(start, end, uniqueCharacters) && reading.depart("host-form", start, end - start, advice)
  );
}
