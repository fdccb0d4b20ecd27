import { AccessError } from "../errors/access-error.ts";
import type { Scheme } from "../scheme/scheme.ts";
import {
  createGenericSyntax,
  type UrlHierarchy,
  type Syntax,
  type Url,
  type UrlParseOptions,
} from "../syntax/index.ts";
import { type SyntaxOfCheckedUrl, getSyntaxOfCheckedUrl } from "../syntax/url.ts";
import { checkSchemeFields } from "./check-scheme.ts";

/** The name of the npm package that contains each known URL scheme. */
const PACKAGES_BY_SCHEME: Readonly<Record<string, string>> = {
  ftp: "@anyscheme/scheme-ftp",
  http: "@anyscheme/scheme-http",
  https: "@anyscheme/scheme-http",
  gopher: "@anyscheme/scheme-gopher",
  gophers: "@anyscheme/scheme-gopher",
  file: "@anyscheme/scheme-others",
  mailto: "@anyscheme/scheme-others",
  news: "@anyscheme/scheme-others",
  snews: "@anyscheme/scheme-others",
  nntp: "@anyscheme/scheme-others",
  nntps: "@anyscheme/scheme-others",
  telnet: "@anyscheme/scheme-others",
  wais: "@anyscheme/scheme-others",
  prospero: "@anyscheme/scheme-others",
};

/** Scheme names that RFC 1738 §4 reserves "for future definition". */
const RESERVED_SCHEME_NAMES: ReadonlySet<string> = new Set([
  "afs",
  "mid",
  "cid",
  "nfs",
  "tn3270",
  "mailserver",
  "z39.50",
]);

const genericUrlSyntax = createGenericSyntax();

/** The schemes of a client, by name. */
export interface SchemeRegistry {
  readonly names: readonly string[];
  /** Returns the URL syntax of a registered scheme, or else the generic URL syntax. */
  getSyntax(name: string): Syntax;
  /**
   * Returns the kind of relative references in the URL's scheme, or `undefined` if the scheme has none. A "/" after the
   * colon begins a hierarchical URL of an unregistered scheme. RFC 3986 §5.2.
   */
  getUrlHierarchy(url: Url): UrlHierarchy | undefined;
  /** Returns the registered syntax that has checked a URL, or `undefined` if there is none. */
  findSyntaxOfCheckedUrl(input: unknown): SyntaxOfCheckedUrl | undefined;
  findScheme(name: string): Scheme | undefined;
  /** Returns a registered scheme, or throws `unknown-scheme` with the registered schemes and the package to install. */
  requireScheme(name: string): Scheme;
}

/**
 * Creates a registry. Names of schemes are compared in lower case (RFC 1738 §2.1). Throws `TypeError` for two schemes
 * with the same name, and for an invalid field of a scheme.
 */
export function createRegistry(schemes: readonly Scheme[]): SchemeRegistry {
  const byName = new Map<string, Scheme>();
  for (const scheme of schemes) {
    checkSchemeFields(scheme);
    const name = scheme.name.toLowerCase();
    if (!/^[a-z0-9+.-]+$/.test(name))
      throw new TypeError(`"${scheme.name}" is not a valid scheme name (RFC 1738 §2.1)`);
    if (byName.has(name)) throw new TypeError(`the scheme ${name} is registered twice`);
    if (!scheme.syntax.schemes.includes(name))
      throw new TypeError(`the syntax of the scheme ${name} does not parse URLs that begin with ${name}:`);
    byName.set(name, scheme);
  }
  const find = (name: string): Scheme | undefined => byName.get(name) ?? byName.get(name.toLowerCase());
  const getSyntax = (name: string): Syntax => find(name)?.syntax ?? genericUrlSyntax;
  // The syntaxes whose schemes are all registered. A URL that was checked by one of these syntaxes needs no look-up of
  // its scheme by name.
  const fullyRegistered = new Set<object>(
    schemes
      .map(({ syntax }) => syntax)
      .filter((syntax) => syntax.schemes.every((name) => byName.get(name)?.syntax === syntax)),
  );
  return {
    names: [...byName.keys()],
    getSyntax,
    getUrlHierarchy({ scheme, href }) {
      const registered = find(scheme);
      if (registered) return registered.syntax.hierarchy;
      return href.startsWith("/", scheme.length + 1) ? "path-and-search" : undefined;
    },
    findScheme: find,
    findSyntaxOfCheckedUrl(input) {
      const found = getSyntaxOfCheckedUrl(input);
      if (found === undefined) return undefined;
      const { syntax } = found;
      return fullyRegistered.has(syntax) || getSyntax((input as Url).scheme) === syntax ? found : undefined;
    },
    requireScheme(name) {
      const scheme = find(name);
      if (!scheme) throw createUnknownSchemeError(name.toLowerCase(), [...byName.keys()]);
      return scheme;
    },
  };
}

function createUnknownSchemeError(name: string, registered: readonly string[]): AccessError {
  const known = registered.length > 0 ? `registered: ${registered.join(", ")}` : "no scheme is registered";
  const where = Object.hasOwn(PACKAGES_BY_SCHEME, name) ? PACKAGES_BY_SCHEME[name] : undefined;
  const hint = where
    ? `install ${where} and register ${name}()`
    : RESERVED_SCHEME_NAMES.has(name)
      ? "RFC 1738 §4 reserves the name without an access method; you can register your own scheme with this name"
      : "you can register your own scheme with this name";
  return new AccessError("unknown-scheme", `the scheme ${name} is not registered`, {
    advice: `${known}; ${hint}`,
  });
}

/** Returns the URL for a text, a URL object, or an object with an `href`. */
export type UrlInputParser = (input: unknown, options?: UrlParseOptions) => Url;

/**
 * Creates the function that parses the URL arguments of a client. The parse function returns URLs that the syntaxes of
 * the client's schemes have checked. For an object that no syntax of the client has checked, the function parses only
 * `href`, because the other fields may be wrong. Throws `UrlSyntaxError`, and `TypeError` for a value that is no string
 * and has no string `href`.
 */
export function createUrlInputParser(
  registry: SchemeRegistry,
  parse: (text: string, options?: UrlParseOptions) => Url,
): UrlInputParser {
  return (input, options) => {
    if (typeof input === "string") return parse(input, options);
    if (registry.findSyntaxOfCheckedUrl(input)) return input as Url;
    const href: unknown =
      typeof input === "object" && input !== null && "href" in input ? input.href : undefined;
    if (typeof href === "string") return parse(href, options);
    throw new TypeError("the URL must be a string, or an object whose href is a string");
  };
}
