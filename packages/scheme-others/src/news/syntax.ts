import {
  type AuthorityComponents,
  type TextOrBytes,
  defineSyntax,
  type ComponentEscaper,
  InternetUrl,
  PASSWORD_MASK,
  splitAuthority,
  type Syntax,
  createInvalidPartsError,
} from "@anyscheme/core/syntax";
import {
  BAD_GROUP_URL_FAULT,
  BAD_MESSAGE_ID_URL_FAULT,
  BRACKETED_MESSAGE_ID_PATTERN,
  checkNewsUrlGrouppart,
  decodeGroupNameEscapes,
  groupOrArticleRegExpSource,
  isGroupNameOrWildmat,
  messageIdCharacters,
  NEWS_URL_WITH_SERVER_PATTERN,
} from "./grouppart.ts";

export type NewsOrSnewsSchemeName = "news" | "snews";

/**
 * The default port of a server in a news URL, which only modern mode accepts. RFC 5538 §2, §8.1. RFC 8143 §2.1 defines
 * the default port of NNTP over TLS.
 */
const NEWS_DEFAULT_PORTS: Readonly<Record<NewsOrSnewsSchemeName, number>> = { news: 119, snews: 563 };

/** The kind of a news URL. `"all"` means "all available news groups" (RFC 1738 §3.6). */
export type NewsUrlKind = "all" | "group" | "article";

/**
 * A URL `news:<newsgroup-name>`, `news:<message-id>` or `news:*` (RFC 1738 §3.6), with the scheme news or snews. The
 * host is `""`, except in `news://<host>/…` in modern mode (RFC 5538 §4).
 */
export class NewsUrl<Name extends NewsOrSnewsSchemeName = NewsOrSnewsSchemeName> extends InternetUrl<Name> {
  /**
   * The kind of the news URL: all groups, one group, or an article. RFC 1738 §3.6: "A message identifier may be
   * distinguished from a news group name by the presence of the commercial at."
   */
  get kind(): NewsUrlKind {
    if (this.#isArticle()) return "article";
    return this.group === undefined ? "all" : "group";
  }

  /** The decoded name of the group, or `undefined` for an article and for all groups. */
  get group(): string | undefined {
    if (this.#isArticle()) return undefined;
    const name = this.#withoutServer;
    return name === "*" || name === "" ? undefined : decodeGroupNameEscapes(name);
  }

  /** The message identifier as written, "without the enclosing "<" and ">"". `undefined` for groups. */
  get article(): string | undefined {
    if (!this.#isArticle()) return undefined;
    const text = this.#withoutServer;
    const [, raw, escaped] = BRACKETED_MESSAGE_ID_PATTERN.exec(text) ?? [];
    return raw ?? escaped ?? text;
  }

  protected override get defaultPort(): number {
    return NEWS_DEFAULT_PORTS[this.scheme];
  }

  override components(): Readonly<Record<string, unknown>> {
    const { scheme, kind, group, article, host, port } = this;
    const masked = article && maskLogin(article);
    return { scheme, kind, group, article: masked, ...(host === "" ? {} : { host, port }) };
  }

  override toString(): string {
    return maskLogin(this.href);
  }

  protected override splitAuthority(text: string, end: number): AuthorityComponents {
    const start = text.indexOf(":") + 1;
    const hasServer = text.startsWith("//", start) && (this.mode === "modern" || !this.#isArticle());
    return splitAuthority(text, hasServer ? start + 2 : -1, end);
  }

  /** The newsgroup or message identifier in a news URL, as written. */
  get #withoutServer(): string {
    return this.host === "" ? this.href.slice(this.scheme.length + 1, this.urlEnd) : (this.pathText ?? "");
  }

  #isArticle(): boolean {
    const at = this.href.indexOf("@");
    return at >= 0 && at < this.urlEnd;
  }
}

/** The components that `build` takes: a group, an article, or neither for all groups. */
export interface NewsUrlBuildParts {
  readonly group?: string | undefined;
  /**
   * The decoded `<unique>@<full_domain_name>`. The last "@" precedes the domain name, and `build` escapes every other
   * "@".
   */
  readonly article?: TextOrBytes | undefined;
}

/** `newsurl = "news:" grouppart`, `grouppart = "*" | group | article` (RFC 1738 §5). */
export const newsSyntax: Syntax<NewsUrl<"news">, NewsUrlBuildParts> = createNewsSyntax("news");

/** The syntax of snews URLs, for news over TLS (RFC 5538 §8.1). RFC 1738 does not define the scheme snews. */
export const snewsSyntax: Syntax<NewsUrl<"snews">, NewsUrlBuildParts> = createNewsSyntax("snews");

function createNewsSyntax<Name extends NewsOrSnewsSchemeName>(
  name: Name,
): Syntax<NewsUrl<Name>, NewsUrlBuildParts> {
  return defineSyntax<NewsUrl<Name>, NewsUrlBuildParts>({
    schemes: [name],
    defaultPort: NEWS_DEFAULT_PORTS[name],
    schemePartPattern: groupOrArticleRegExpSource,
    ambiguousTextPattern: NEWS_URL_WITH_SERVER_PATTERN,
    reportDeviations: checkNewsUrlGrouppart,
    createUrlFromText: (text, deviations) => new NewsUrl<Name>(text, deviations),
    // `format` omits the server of a news URL, which only modern mode accepts. RFC 1738: "news URLs are
    // location-independent".
    formatUrl({ group, article }, escape) {
      if (article === undefined) return `${name}:${formatGroupOrPattern(group)}`;
      if (group !== undefined)
        throw createInvalidPartsError(BAD_GROUP_URL_FAULT, "pass a group or an article, not both");
      return `${name}:${formatArticleMessageId(article, escape)}`;
    },
  });
}

function formatGroupOrPattern(group: string | undefined): string {
  if (group === undefined) return "*";
  if (group === "*" || !isGroupNameOrWildmat(group))
    throw createInvalidPartsError(BAD_GROUP_URL_FAULT, "pass the name of one group");
  return group;
}

function formatArticleMessageId(article: TextOrBytes, escape: ComponentEscaper): string {
  const at = typeof article === "string" ? article.lastIndexOf("@") : article.lastIndexOf(0x40);
  if (at < 0) throw createInvalidPartsError(BAD_MESSAGE_ID_URL_FAULT, "pass <unique>@<full_domain_name>");
  // Modern mode would read "//" as the beginning of a server.
  const unique = escape(article.slice(0, at), messageIdCharacters).replace(/^\/\//, "%2F/");
  return `${unique}@${escape(article.slice(at + 1), messageIdCharacters)}`;
}

/**
 * Masks the password in text of a news URL that looks like the login of a server. RFC 1738 defines a text before an "@"
 * as part of an article, but the text may contain a password.
 */
function maskLogin(text: string): string {
  return text.replace(/^((?:s?news:)?\/\/[^/:@]*:)[^/@]+@/i, `$1${PASSWORD_MASK}@`);
}
