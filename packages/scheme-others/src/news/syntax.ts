import {
  type Decoded,
  defineSyntax,
  deviation,
  type Escape,
  type FaultCode,
  type Found,
  InternetUrl,
  type Syntax,
  UrlSyntaxError,
} from "@anyscheme/core/syntax";
import { bracketed, checkGrouppart, grouppartSource, isWildmat, uniqueCharacters } from "./grouppart.ts";

/** RFC 5538, for the server that tolerant mode reads; RFC 1738 has no server in a news URL. */
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
  schemepart: grouppartSource,
  diagnose: checkGrouppart,
  url: (text, found) => new NewsUrl(text, found),
  // A server that a tolerant reading has found is left out: by RFC 1738 "news URLs are location-independent".
  write({ group, article }, escape) {
    if (article === undefined) return PREFIX + writeGroup(group);
    if (group !== undefined) throw fault("bad-group", "give a group or an article");
    return PREFIX + writeArticle(article, escape);
  },
});

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
