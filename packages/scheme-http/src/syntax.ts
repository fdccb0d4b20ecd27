import {
  type AuthorityComponents,
  checkAuthority,
  type CharacterClass,
  escapeCharacter,
  type TextOrBytes,
  defineSyntax,
  type ComponentEscaper,
  hostportRegExpSource,
  InternetUrl,
  removeDotSegments,
  splitAuthority,
  type Syntax,
  extendUchar,
  writeAuthority,
} from "@anyscheme/core/syntax";

// hsegment = search = *[ uchar | ";" | ":" | "@" | "&" | "=" ]            RFC 1738 §5
const segmentCharacters: CharacterClass = extendUchar(";:@&=");
const searchCharacters: CharacterClass = segmentCharacters;
// hpath = hsegment *[ "/" hsegment ]
const pathCharacters: CharacterClass = extendUchar(";:@&=/");
// The characters that the WHATWG URL Standard encodes in a path and in a query. A "%" in a URL is sent as written.
const CHARACTERS_ENCODED_IN_PATH = /[^!$-;=@-Z[\]_a-z|~]/gu;
const CHARACTERS_ENCODED_IN_QUERY = /[^!$-;=?-Z[\]^_`a-z{|}~]/gu;
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

export type HttpSchemeName = "http" | "https";

// RFC 1738 §3.3: "If :<port> is omitted, the port defaults to 80." RFC 9110 §4.2.2 for https.
const DEFAULT_PORTS: Readonly<Record<HttpSchemeName, number>> = { http: 80, https: 443 };

/** `http://<host>:<port>/<path>?<searchpart>`, and the same for https. RFC 1738 §3.3. */
export class HttpUrl<Name extends HttpSchemeName = HttpSchemeName> extends InternetUrl<Name> {
  /**
   * The path of the URL after the "/" that follows the host, as written. The path is `undefined` if no "/" follows the
   * host.
   */
  get path(): string | undefined {
    const { urlText: text, end, pathEnd } = this.authorityComponents;
    return end < pathEnd ? text.slice(end + 1, pathEnd) : undefined;
  }

  /** The part of the URL after the first "?", as written. `undefined` without a "?". */
  get search(): string | undefined {
    const { urlText: text, pathEnd, urlEnd } = this.authorityComponents;
    return pathEnd < urlEnd ? text.slice(pathEnd + 1, urlEnd) : undefined;
  }

  protected override get defaultPort(): number {
    return DEFAULT_PORTS[this.scheme];
  }

  /** A "?" ends the authority and the path of an http URL. */
  protected override splitAuthority(text: string, end: number): AuthorityComponents {
    const mark = text.indexOf("?");
    return splitAuthority(text, text.indexOf(":") + 3, end, mark < 0 || mark > end ? end : mark);
  }

  /**
   * The request target without dot segments (RFC 3986 §5.2.4), as browsers send it. The mode `rfc1738` keeps dot
   * segments. RFC 9112 §3.2.1.
   */
  get requestTarget(): string {
    const target = this.requestTargetAsIs;
    if (this.mode === "rfc1738") return target;
    const mark = target.indexOf("?");
    const path = mark < 0 ? target : target.slice(0, mark);
    return DOT_SEGMENT.test(path) ? removeDotSegments(path) + target.slice(path.length) : target;
  }

  /**
   * The request target: path and search as written. Only characters that browsers encode are percent-encoded, so that
   * signed URLs stay valid. `format` writes the form of RFC 1738, which may encode more.
   */
  get requestTargetAsIs(): string {
    // Browsers encode no character of a conforming path or search.
    if (this.isConforming) return this.href.slice(this.authorityEnd) || "/";
    const { path = "", search } = this;
    const query =
      search === undefined ? "" : `?${search.replace(CHARACTERS_ENCODED_IN_QUERY, escapeCharacter)}`;
    return `/${path.replace(CHARACTERS_ENCODED_IN_PATH, escapeCharacter)}${query}`;
  }

  override components(): Readonly<Record<string, unknown>> {
    const { path, search } = this;
    return { ...super.components(), path, search };
  }
}

/** The parts of an http or https URL for `build`. */
export interface HttpUrlBuildParts {
  readonly host: string;
  readonly port?: number | string | undefined;
  /**
   * The decoded path of the new URL without its first "/", as text or list of segments. A "/" in a text separates
   * segments, and a "/" in a segment of a list is encoded. `build` encodes "%", "?" and every character that RFC 1738
   * forbids, but not `; : @ & =`.
   */
  readonly path?: TextOrBytes | readonly TextOrBytes[] | undefined;
  /** The decoded search. `build` encodes "/", "?" and every character that RFC 1738 forbids, but not `; : @ & =`. */
  readonly search?: TextOrBytes | undefined;
}

/** `httpurl = "http://" hostport [ "/" hpath [ "?" search ]]`. RFC 1738 §5. */
export const httpSyntax: Syntax<HttpUrl<"http">, HttpUrlBuildParts> = createHttpSyntax("http");

/** The syntax of https URLs, with the same grammar as http URLs. RFC 9110 §4.2.2. */
export const httpsSyntax: Syntax<HttpUrl<"https">, HttpUrlBuildParts> = createHttpSyntax("https");

function createHttpSyntax<Name extends HttpSchemeName>(name: Name): Syntax<HttpUrl<Name>, HttpUrlBuildParts> {
  return defineSyntax<HttpUrl<Name>, HttpUrlBuildParts>({
    schemes: [name],
    defaultPort: DEFAULT_PORTS[name],
    hierarchy: "path-and-search",
    emptyPathEquivalent: "",
    removeDotSegments,
    schemePartPattern: `//${hostportRegExpSource}(?:/${pathCharacters.source}(?:\\?${searchCharacters.source})?)?`,
    reportDeviations(diagnostics) {
      const authorityEnd = checkAuthority(diagnostics, {
        login: "modern",
        endsAtQuestionMark: true,
      });
      if (authorityEnd === undefined) return false;
      const mark = diagnostics.indexOf("?", authorityEnd);
      return (
        diagnostics.checkCharacters(authorityEnd, mark, pathCharacters) &&
        diagnostics.checkCharacters(mark + 1, diagnostics.schemePartEnd, searchCharacters, {
          reserved: "/?",
          reservedAllowedByRfc: "RFC 3986 §3.4",
          backslash: true,
        })
      );
    },
    createUrlFromText: (text, deviations) => new HttpUrl<Name>(text, deviations),
    formatUrl(parts, escape) {
      const { host, port, path, search } = parts;
      const hasPath = path !== undefined || search !== undefined;
      const pathText = hasPath ? `/${writeHttpPath(path ?? "", escape)}` : "";
      const searchText =
        search === undefined
          ? ""
          : `?${escape(search, searchCharacters, { disallowed: CHARACTERS_ENCODED_IN_QUERY })}`;
      return `${name}:${writeAuthority({ host, port }, escape)}${pathText}${searchText}`;
    },
  });
}

function writeHttpPath(path: TextOrBytes | readonly TextOrBytes[], escape: ComponentEscaper): string {
  if (typeof path === "string" || path instanceof Uint8Array)
    return escape(path, pathCharacters, { disallowed: CHARACTERS_ENCODED_IN_PATH });
  return path
    .map((segment) => escape(segment, segmentCharacters, { disallowed: CHARACTERS_ENCODED_IN_PATH }))
    .join("/");
}
