import {
  type CharacterClass,
  checkAuthority,
  type Decoded,
  defineSyntax,
  deviation,
  type Escape,
  type FaultCode,
  type Found,
  hostSource,
  InternetUrl,
  isHost,
  type Reading,
  type Syntax,
  ucharAnd,
  UrlSyntaxError,
} from "@anyscheme/core/syntax";

// group = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]            RFC 1738 §5
const groupSource = "[A-Za-z][A-Za-z0-9.+_-]*";
const wholeGroup = new RegExp(`^${groupSource}$`);
// wildmat = wildmat-pattern *("," ["!"] wildmat-pattern)            RFC 3977 §4.1; without "*" and "?", a name
const wildmatPattern = /^!?[A-Za-z0-9.+_*?-]+$/;
// article = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
const uniqueCharacters: CharacterClass = ucharAnd(";/?:&=");

/** A message identifier with the "<" and ">" of RFC 1036 §2.1.5, or with their escapes. */
const bracketed = /^(?:<([^]*)>|%3C([^]*)%3E)$/i;

/** RFC 5538 §2.2, for the server that tolerant mode reads; RFC 1738 has no server in a news URL. */
const DEFAULT_PORT = 119;
const PREFIX = "news:";

/** `"all"`: "all available news groups". RFC 1738 §3.6. */
export type NewsKind = "all" | "group" | "article";

/**
 * `news:<newsgroup-name>`, `news:<message-id>` or `news:*`. RFC 1738 §3.6. The host is `""`, but for `news://<host>/…`, which
 * tolerant mode reads as RFC 5538 does.
 */
export class NewsUrl extends InternetUrl<"news"> {
  readonly #isArticle: boolean;

  constructor(text: string, found: Found) {
    const at = text.indexOf("@");
    const isArticle = at >= 0 && (found.mark < 0 || at < found.mark);
    super(text, found, !isArticle && text.startsWith("//", PREFIX.length) ? PREFIX.length + 2 : -1);
    this.#isArticle = isArticle;
  }

  /** "A message identifier may be distinguished from a news group name by the presence of the commercial at." */
  get kind(): NewsKind {
    if (this.#isArticle) return "article";
    return this.group === undefined ? "all" : "group";
  }

  /** The name of the group as written, without escapes; `undefined` for an article and for all groups. */
  get group(): string | undefined {
    if (this.#isArticle) return undefined;
    const name = this.host === "" ? this.href.slice(PREFIX.length, this.end) : this.pathText;
    return name === "*" || name === "" ? undefined : name;
  }

  /** The message identifier as written, "without the enclosing "<" and ">""; `undefined` for groups. */
  get article(): string | undefined {
    if (!this.#isArticle) return undefined;
    const text = this.href.slice(PREFIX.length, this.end);
    const [, raw, escaped] = bracketed.exec(text) ?? [];
    return raw ?? escaped ?? text;
  }

  protected override get defaultPort(): number {
    return DEFAULT_PORT;
  }

  override components(): Readonly<Record<string, unknown>> {
    const { scheme, kind, group, article, host, port } = this;
    return { scheme, kind, group, article, ...(host === "" ? {} : { host, port }) };
  }
}

/** What `build` takes: a group, an article, or neither for all groups. */
export interface NewsParts {
  readonly group?: string | undefined;
  /** `<unique>@<full_domain_name>`, decoded; the last "@" counts, others are encoded. */
  readonly article?: Decoded | undefined;
}

/** `newsurl = "news:" grouppart`, `grouppart = "*" | group | article`. RFC 1738 §5. */
export const newsSyntax: Syntax<NewsUrl, NewsParts> = defineSyntax<NewsUrl, NewsParts>({
  schemes: ["news"],
  defaultPort: DEFAULT_PORT,
  schemepart: `(?:\\*|${groupSource}|(?!@)${uniqueCharacters.source}@${hostSource})`,
  diagnose(reading) {
    const { text, start, end } = reading;
    const at = text.indexOf("@", start);
    if (at >= 0 && at < end) return checkArticle(reading);
    return text.startsWith("//", start) ? checkServer(reading) : checkGroup(reading, start);
  },
  url: (text, found) => new NewsUrl(text, found),
  // A server that a tolerant reading has found is left out: by RFC 1738 "news URLs are location-independent".
  write({ group, article }, escape) {
    if (article === undefined) return PREFIX + writeGroup(group);
    if (group !== undefined) throw fault("bad-group", "give a group or an article");
    return PREFIX + writeArticle(article, escape);
  },
});

function isWildmat(text: string): boolean {
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

// RFC 5538 §2.2: newsURL = "news:" [ server "/" ] ( article / newsgroups )
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

function writeGroup(group: string | undefined): string {
  if (group === undefined) return "*";
  if (group === "*" || !isWildmat(group)) throw fault("bad-group", "give the name of one group");
  return group;
}

function writeArticle(article: Decoded, escape: Escape): string {
  const at = typeof article === "string" ? article.lastIndexOf("@") : article.lastIndexOf(0x40);
  if (at < 0) throw fault("bad-message-id", "give <unique>@<full_domain_name>");
  return `${escape(article.slice(0, at), uniqueCharacters)}@${escape(article.slice(at + 1), uniqueCharacters)}`;
}

function fault(code: FaultCode, suggestion: string): UrlSyntaxError {
  return new UrlSyntaxError(deviation(code, 0, 0, suggestion));
}
