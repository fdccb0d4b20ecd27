import { type AuthorityComponents, checkAuthority, splitAuthority } from "./authority.ts";
import {
  prefixIfDefined,
  type ComponentEscaper,
  InternetUrl,
  authorityRegExpSource,
  writeAuthority,
} from "./internet-url.ts";
import { xchar } from "./characters/characters.ts";
import { escapeDisallowed } from "./characters/percent-encoding.ts";
import { checkOptions } from "../options/check-options.ts";
import {
  createArrayOptionKind,
  booleanOptionKind,
  type OptionTable,
  portOptionKind,
  stringOptionKind,
} from "../options/option-kinds.ts";
import { ParseDiagnostics, type ParseMode } from "./faults/parse-fault-recorder.ts";
import { defineSyntax, type Syntax } from "./syntax.ts";
import { type LazyDeviations, PASSWORD_MASK } from "./url.ts";

/** The properties of a scheme that has no own grammar. */
export interface GenericSchemeRules {
  /** The default port, for URLs that contain no port. Default: none. */
  readonly defaultPort?: number | undefined;
  /**
   * True when "/" separates the levels of a hierarchy and "?" ends the path, as in RFC 3986. If true, `client.resolve`
   * resolves relative references, and `GenericUrl.search` is the text after the "?". Default false.
   */
  readonly hierarchy?: boolean | undefined;
}

/** The rules for one {@link GenericUrl}: those of its scheme, and whether the scheme is declared. */
export interface GenericUrlRules extends GenericSchemeRules {
  /**
   * True when the program has named the scheme in a call of {@link createGenericSyntax}. In a URL whose scheme the
   * program has not named, the text before the first ":" may be the user name of a login, as in `joe:sesame@h.example`.
   * Default false.
   */
  readonly isDeclaredScheme?: boolean | undefined;
}

/** The options of {@link createGenericSyntax}. */
export interface GenericSyntaxOptions<Name extends string = string> extends GenericSchemeRules {
  /** The scheme names in lower case. Default: every scheme. */
  readonly schemes?: readonly Name[] | undefined;
}

/** The schemes whose URLs contain a public address with an "@", as in `mailto:joe@h.example`. */
const SCHEMES_OF_ADDRESSES: ReadonlySet<string> = new Set([
  "acct",
  "cid",
  "mailto",
  "mid",
  "news",
  "sip",
  "sips",
  "xmpp",
]);

/**
 * A URL of a scheme that is unknown or that needs only the generic form. RFC 1738 §2.1 and §5: `genericurl = scheme ":"
 * schemepart`, `schemepart = *xchar | ip-schemepart`. In modern mode, "//" always begins an authority (RFC 3986 §3.2).
 */
export class GenericUrl<Name extends string = string> extends InternetUrl<Name> {
  readonly #rules: GenericUrlRules;

  constructor(text: string, deviations: LazyDeviations, rules: GenericUrlRules = {}, mode?: ParseMode) {
    super(text, deviations, mode);
    this.#rules = rules;
  }

  /** The scheme-specific part: the text after the URL's first colon, without the fragment. */
  get schemePart(): string {
    return this.href.slice(this.href.indexOf(":") + 1, this.urlEnd);
  }

  /**
   * True when the scheme-specific part begins with an authority, `//<user>:<password>@<host>:<port>`. Without an
   * authority, the host is `""`. In modern mode an authority may be empty, as in `x:///a`. RFC 1738 §3.1, RFC 3986
   * §3.2.
   */
  get hasAuthority(): boolean {
    return this.authorityEnd >= 0;
  }

  /**
   * The path: the text after the "/" that follows the authority, without the search. `undefined` when the URL has no
   * authority, or no "/" after the authority. In a scheme without a hierarchy, "?" belongs to the path.
   */
  get urlPath(): string | undefined {
    const { href, authorityEnd } = this;
    const pathEnd = this.#pathEnd;
    if (!this.hasAuthority || authorityEnd >= pathEnd) return undefined;
    return href.slice(href.startsWith("?", authorityEnd) ? authorityEnd : authorityEnd + 1, pathEnd);
  }

  /**
   * The text after the "?" that ends the path, in a scheme with a hierarchy. `undefined` for a URL without a "?" or
   * without an authority. RFC 3986 §3.4.
   */
  get search(): string | undefined {
    const { urlEnd } = this;
    const pathEnd = this.#pathEnd;
    return this.hasAuthority && pathEnd < urlEnd ? this.href.slice(pathEnd + 1, urlEnd) : undefined;
  }

  /** The index of the "?" that ends the path of a URL with an authority, or the end of the URL. */
  get #pathEnd(): number {
    const { urlEnd } = this;
    return this.#rules.hierarchy ? indexOfQuestionMark(this.href, this.authorityEnd, urlEnd) : urlEnd;
  }

  protected override get defaultPort(): number | undefined {
    return this.#rules.defaultPort;
  }

  // ip-schemepart = "//" login [ "/" urlpath ]            RFC 1738 §5
  protected override splitAuthority(text: string, end: number): AuthorityComponents {
    const start = text.indexOf(":") + 1;
    if (this.mode === "modern") {
      // In modern mode, a "?" ends the authority. The mode `rfc1738` allows a "?" in a login.
      const mark = indexOfQuestionMark(text, 0, end);
      return splitAuthority(text, text.startsWith("//", start) ? start + 2 : -1, end, mark);
    }
    const diagnostics = new ParseDiagnostics(text, "rfc1738", start);
    const hasAuthority = checkAuthority(diagnostics, { login: true }) !== undefined;
    return splitAuthority(text, hasAuthority ? start + 2 : -1, end);
  }

  override components(): Readonly<Record<string, unknown>> {
    if (!this.hasAuthority) return { scheme: this.scheme, schemePart: this.#maskedText.replace(/#.*$/s, "") };
    const { urlPath, search } = this;
    return { ...super.components(), urlPath, ...(this.#rules.hierarchy ? { search } : {}) };
  }

  // Masks invalid logins too, because they may contain a password.
  override toString(): string {
    if (this.hasAuthority) return super.toString();
    return this.href.slice(0, this.href.indexOf(":") + 1) + this.#maskedText;
  }

  /**
   * The text after the first colon of a URL without an authority. Masks a possible password: the text between a ":" and
   * the last "@", which may contain a "#". The masked text begins after the first ":" of the URL, or after the second
   * if the text before the first ":" cannot be a user name. For this masking, "%40" also counts as "@", unless the
   * scheme is declared or its URLs contain addresses, as those of mailto.
   */
  get #maskedText(): string {
    const text = this.href.slice(this.href.indexOf(":") + 1);
    const isKnownScheme = this.#rules.isDeclaredScheme === true || SCHEMES_OF_ADDRESSES.has(this.scheme);
    const hasScheme = isKnownScheme || text.startsWith("//");
    const colon = hasScheme ? text.indexOf(":") : -1;
    const end = Math.max(text.lastIndexOf("@"), isKnownScheme ? -1 : text.lastIndexOf("%40"));
    if (end <= colon + 1 || (hasScheme && colon < 0)) return text;
    return text.slice(0, colon + 1) + PASSWORD_MASK + text.slice(end);
  }
}

/** The parts of a generic URL for `build`. */
export interface GenericUrlBuildParts {
  /** The scheme. Default: the first scheme name of the syntax. */
  readonly scheme?: string;
  /** The decoded scheme-specific part. `build` does not escape the reserved characters of this text. */
  readonly schemePart: string;
}

const GENERIC_SYNTAX_OPTION_KINDS: OptionTable<GenericSyntaxOptions> = {
  schemes: createArrayOptionKind(stringOptionKind, 'names of schemes, as ["x-any"]'),
  defaultPort: portOptionKind,
  hierarchy: booleanOptionKind,
};

/**
 * Creates the syntax of schemes that have no own grammar, for example `x-` schemes. By default, the syntax parses URLs
 * of every scheme. In modern mode, "//" begins an authority, and an invalid authority is a fault (RFC 3986 §3.2). In
 * the mode `rfc1738`, "//" without a valid login after it begins opaque data.
 */
export function createGenericSyntax<Name extends string = string>(
  options: GenericSyntaxOptions<Name> = {},
): Syntax<GenericUrl<Name>, GenericUrlBuildParts> {
  checkOptions("createGenericSyntax", options, GENERIC_SYNTAX_OPTION_KINDS);
  const { schemes = [], defaultPort, hierarchy = false } = options;
  const rules: GenericUrlRules = { defaultPort, hierarchy, isDeclaredScheme: schemes.length > 0 };
  return defineSyntax<GenericUrl<Name>, GenericUrlBuildParts>({
    schemes,
    schemePartPattern: xchar.source,
    // Matches unless the text between "//" and the path is a login of RFC 1738, or empty as in "x:///a".
    ambiguousTextPattern: new RegExp(`^[^:]*://(?!(?:${authorityRegExpSource})?(?:/|$))`),
    defaultPort,
    hierarchy: hierarchy ? "path-and-search" : undefined,
    reportDeviations(diagnostics) {
      const { mode, urlText: text, schemePartStart, schemePartEnd } = diagnostics;
      if (mode === "rfc1738" || !text.startsWith("//", schemePartStart))
        return diagnostics.checkCharacters(schemePartStart, schemePartEnd, xchar);
      const authority = { login: true, emptyHost: true, endsAtQuestionMark: true };
      const pathStart = checkAuthority(diagnostics, authority);
      if (pathStart === undefined) return false;
      const pathEnd = hierarchy ? diagnostics.indexOf("?", pathStart) : schemePartEnd;
      return (
        diagnostics.checkCharacters(pathStart, pathEnd, xchar) &&
        diagnostics.checkCharacters(pathEnd, schemePartEnd, xchar, { backslash: true })
      );
    },
    createUrlFromText: (text, deviations, mode) => new GenericUrl<Name>(text, deviations, rules, mode),
    formatUrl(parts, escape) {
      const scheme = parts.scheme ?? schemes[0] ?? "";
      if (parts instanceof GenericUrl && parts.hasAuthority) return writeInternetUrl(scheme, parts, escape);
      const text = `${scheme}:${escape(parts.schemePart, xchar)}`;
      // The escaped scheme-specific part may begin with an authority that has a valid login. `writeInternetUrl` escapes
      // a "?" in this login, at which other parsers end the host.
      const again = new GenericUrl<Name>(text, [], rules, "rfc1738");
      return again.hasAuthority && again.user?.concat(again.password ?? "").includes("?")
        ? writeInternetUrl(scheme, again, escapeDisallowed)
        : text;
    },
  });
}

/** Writes a generic URL that has an authority. RFC 1738 requires a "/" before a search. */
function writeInternetUrl(scheme: string, url: GenericUrl, escape: ComponentEscaper): string {
  const { search } = url;
  const urlPath = url.urlPath ?? (search === undefined ? undefined : "");
  const path = prefixIfDefined("/", urlPath && escape(urlPath, xchar));
  return `${scheme}:${writeAuthority(url, escape)}${path}${prefixIfDefined("?", search && escape(search, xchar))}`;
}

/** Returns the index of the first "?" at or after `from`, at most `end`. */
function indexOfQuestionMark(text: string, from: number, end: number): number {
  const index = text.indexOf("?", from);
  return index < 0 || index > end ? end : index;
}
