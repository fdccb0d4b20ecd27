import {
  checkAuthority,
  percentDecode,
  percentEncode,
  type TextOrBytes,
  defineSyntax,
  type ComponentEscaper,
  type UrlFaultDefinition,
  hostportRegExpSource,
  InternetUrl,
  PASSWORD_MASK,
  type ParseDiagnostics,
  type Syntax,
  createInvalidPartsError,
  writeAuthority,
  xchar,
} from "@anyscheme/core/syntax";

/** RFC 1738 §3.4.1: "If :<port> is omitted, the port defaults to 70." Servers offer TLS on the same port. */
const DEFAULT_PORT = 70;

/**
 * Separates the fields of a gopher path. Every "%" of a checked path begins an escape, so "%2509" does not contain the
 * separator "%09".
 */
const ENCODED_TAB = "%09";

/**
 * Matches the beginning of a Gopher+ string that submits a form: the view, and the flag for the block that follows. RFC
 * 1738 §3.4.9.
 */
const FORM_SUBMISSION_START = /^(?:\+|%2B)[^]*?%09(?:1|%31)/i;

const BAD_GOPHERTYPE: UrlFaultDefinition = {
  code: "bad-gophertype",
  section: "3.4.1",
  message: "the gophertype is a single character or escape",
};
const TAB_IN_GOPHER_FIELD: UrlFaultDefinition = {
  code: "tab-in-field",
  section: "3.4.1",
  message: "a selector or search string cannot contain a tab, because a tab ends the field",
};

export type GopherSchemeName = "gopher" | "gophers";

/** The fields of a gopher path as written. RFC 1738 §3.4.1, §3.4.3. */
export interface GopherPathFields {
  readonly type: string | undefined;
  readonly selector: string | undefined;
  readonly search: string | undefined;
  readonly plus: string | undefined;
}

const NO_GOPHER_FIELDS: GopherPathFields = {
  type: undefined,
  selector: undefined,
  search: undefined,
  plus: undefined,
};

/** A URL `gopher://<host>:<port>/<gophertype><selector>%09<search>%09<gopher+_string>`. RFC 1738 §3.4. */
export class GopherUrl<Name extends GopherSchemeName = GopherSchemeName> extends InternetUrl<Name> {
  /**
   * The Gopher path with all fields, as written. `undefined` if the URL has no "/" after the host, which means the same
   * as an empty path.
   */
  get urlPath(): string | undefined {
    return this.pathText;
  }

  /** All fields of the gopher path. */
  get fields(): GopherPathFields {
    const path = this.pathText;
    if (!path) return NO_GOPHER_FIELDS;
    const selectorStart = path.startsWith("%") ? 3 : 1;
    const type = path.slice(0, selectorStart);
    const rest = path.slice(selectorStart);
    if (!rest.includes(ENCODED_TAB)) return { type, selector: rest, search: undefined, plus: undefined };
    const [selector, search, ...plus] = rest.split(ENCODED_TAB);
    // The Gopher+ string of a form may contain tabs (RFC 1738 §3.4.9).
    return { type, selector, search, plus: plus.length > 0 ? plus.join(ENCODED_TAB) : undefined };
  }

  /** The gophertype as written, a character or an escape. `undefined` for a URL without a path. RFC 1738 §3.4.1. */
  get type(): string | undefined {
    return this.fields.type;
  }

  /** The selector as written. `undefined` for a URL without a path. RFC 1738 §3.4.1. */
  get selector(): string | undefined {
    return this.fields.selector;
  }

  /** The search string as written. `undefined` without the first `%09`. RFC 1738 §3.4.2. */
  get search(): string | undefined {
    return this.fields.search;
  }

  /** The Gopher+ string as written. `undefined` without the second `%09`. RFC 1738 §3.4.3. */
  get plus(): string | undefined {
    return this.fields.plus;
  }

  /** The decoded item type as one character. `"1"` for a URL without a path. RFC 1738 §3.4.1. */
  get itemType(): string {
    return decodeGopherItemType(this.fields);
  }

  /**
   * Returns `href` with the values of a submitted form masked. The values of a Gopher+ form may contain a password. RFC
   * 1738 §3.4.9.
   */
  override toString(): string {
    const { href, plus, urlEnd } = this;
    const prefix = plus === undefined ? undefined : FORM_SUBMISSION_START.exec(plus)?.[0];
    if (plus === undefined || prefix === undefined) return href;
    return `${href.slice(0, urlEnd - plus.length + prefix.length)}${PASSWORD_MASK}${href.slice(urlEnd)}`;
  }

  override components(): Readonly<Record<string, unknown>> {
    return { scheme: this.scheme, host: this.host, port: this.port, ...this.fields };
  }

  protected override get defaultPort(): number {
    return DEFAULT_PORT;
  }
}

/** Returns the decoded item type of the given fields. See {@link GopherUrl.itemType}. */
export function decodeGopherItemType({ type = "1" }: GopherPathFields): string {
  if (/^[!-~]$/.test(type)) return type;
  const [byte] = percentDecode(type);
  return String.fromCharCode(byte ?? 0);
}

/**
 * The decoded fields from which `build` builds a gopher URL, as text or bytes. The path of the built URL is empty if
 * all its fields are undefined. RFC 1738 §3.4.
 */
export interface GopherUrlBuildParts {
  readonly host: string;
  readonly port?: number | string | undefined;
  /** The item type, one byte. Default `"1"` when another field is given. */
  readonly type?: TextOrBytes | undefined;
  /** The selector, any bytes but tabs. Default: empty. */
  readonly selector?: TextOrBytes | undefined;
  /**
   * The search string, any bytes but tabs. By default, the URL has an empty search string if a Gopher+ string is given,
   * else none.
   */
  readonly search?: TextOrBytes | undefined;
  /** The Gopher+ string, any bytes. Default: none. */
  readonly plus?: TextOrBytes | undefined;
}

/**
 * `gopherurl = "gopher://" hostport [ / [ gtype [ selector [ "%09" search [ "%09" gopher+_string ] ] ] ] ]`. RFC
 * 1738 §5.
 */
export const gopherSyntax: Syntax<GopherUrl<"gopher">, GopherUrlBuildParts> = createGopherSyntax("gopher");

/** The syntax of gophers URLs, for Gopher over TLS. RFC 1738 does not define the scheme gophers. */
export const gophersSyntax: Syntax<GopherUrl<"gophers">, GopherUrlBuildParts> = createGopherSyntax("gophers");

function createGopherSyntax<Name extends GopherSchemeName>(
  name: Name,
): Syntax<GopherUrl<Name>, GopherUrlBuildParts> {
  return defineSyntax<GopherUrl<Name>, GopherUrlBuildParts>({
    schemes: [name],
    defaultPort: DEFAULT_PORT,
    // RFC 1738 §3.4.1: "The entire <gopher-path> may also be empty, in which case [...] the <gophertype>
    // defaults to "1"."
    emptyPathEquivalent: "1",
    schemePartPattern: `//${hostportRegExpSource}(?:/${xchar.source})?`,
    reportDeviations(diagnostics) {
      const slash = checkAuthority(diagnostics, { login: false });
      return (
        slash !== undefined &&
        (slash === diagnostics.schemePartEnd || checkGopherPath(diagnostics, slash + 1))
      );
    },
    createUrlFromText: (text, deviations) => new GopherUrl<Name>(text, deviations),
    formatUrl(parts, escape) {
      const { host, port } = parts;
      const slash = parts instanceof GopherUrl && parts.urlPath === undefined ? "" : "/";
      return `${name}:${writeAuthority({ host, port }, escape)}${slash}${writeGopherPath(parts, escape)}`;
    },
  });
}

function checkGopherPath(diagnostics: ParseDiagnostics, start: number): boolean {
  const { urlText: text, schemePartEnd: end } = diagnostics;
  // An item type beyond US-ASCII would become several escapes, of which only the first would be the gophertype.
  const point = start < end ? (text.codePointAt(start) ?? 0) : 0;
  if (point > 0x9f) {
    const length = point > 0xffff ? 2 : 1;
    return diagnostics.reportFault(
      BAD_GOPHERTYPE,
      start,
      length,
      "write a character of US-ASCII or one escape",
    );
  }
  // With some selectors, a gophertype "%" would form an escape.
  if (/^%(?![0-9A-Fa-f]{2})/.test(text.slice(start, start + 3)))
    return diagnostics.reportFault(BAD_GOPHERTYPE, start, 1, 'write "%25"');
  return diagnostics.checkCharacters(start, end, xchar);
}

function writeGopherPath(
  { type, selector, search, plus }: GopherUrlBuildParts,
  escape: ComponentEscaper,
): string {
  if (type === undefined && selector === undefined && search === undefined && plus === undefined) return "";
  const writeField = (value: TextOrBytes): string => {
    const written = escape(value, xchar);
    if (written.includes(ENCODED_TAB)) throw createInvalidPartsError(TAB_IN_GOPHER_FIELD, "remove the tab");
    return written;
  };
  let path = writeItemType(type ?? "1", escape) + writeField(selector ?? "");
  if (search !== undefined || plus !== undefined) path += ENCODED_TAB + writeField(search ?? "");
  if (plus !== undefined) path += ENCODED_TAB + escape(plus, xchar);
  return path;
}

function writeItemType(type: TextOrBytes, escape: ComponentEscaper): string {
  const written = escape(type, xchar);
  if (!/^(?:%[0-9A-Fa-f]{2}|[^%])$/.test(written))
    throw createInvalidPartsError(BAD_GOPHERTYPE, "pass one byte");
  return written;
}

/** Returns the URL with another Gopher+ string, given as text or bytes. RFC 1738 §3.4.3. */
export function replaceGopherPlusString<Name extends GopherSchemeName>(
  url: GopherUrl<Name>,
  plus: TextOrBytes,
): GopherUrl<Name> {
  return replaceEncodedFields(url, url.search ?? "", percentEncode(plus, xchar));
}

/**
 * Returns the gopher URL with another search string. Throws `TypeError` for a search string with a tab. RFC 1738
 * §3.4.2.
 */
export function replaceSearchString<Name extends GopherSchemeName>(
  url: GopherUrl<Name>,
  words: TextOrBytes,
): GopherUrl<Name> {
  const search = percentEncode(words, xchar);
  if (search.includes(ENCODED_TAB)) throw new TypeError("a search string cannot contain a tab");
  return replaceEncodedFields(url, search, url.plus);
}

function replaceEncodedFields<Name extends GopherSchemeName>(
  url: GopherUrl<Name>,
  search: string,
  plus: string | undefined,
): GopherUrl<Name> {
  const syntaxes: { readonly [N in GopherSchemeName]: Syntax<GopherUrl<N>, GopherUrlBuildParts> } = {
    gopher: gopherSyntax,
    gophers: gophersSyntax,
  };
  const syntax: Syntax<GopherUrl<Name>, GopherUrlBuildParts> = syntaxes[url.scheme];
  const { host, port, type = "1", selector = "" } = url;
  const hostport = port === undefined ? host : `${host}:${port}`;
  const plusField = plus === undefined ? "" : `${ENCODED_TAB}${plus}`;
  const text = `${url.scheme}://${hostport}/${type}${selector}${ENCODED_TAB}${search}${plusField}`;
  // The values of a form may exceed the default length limit of URLs.
  const parse = (each: string): GopherUrl<Name> => syntax.parse(each, { maxLength: Infinity });
  return parse(syntax.format(parse(text)));
}
