import {
  checkAuthority,
  type CharacterClass,
  escapeDisallowed,
  type Decoded,
  defineSyntax,
  type Escape,
  hostportSource,
  InternetUrl,
  MISSING_SLASH,
  type Diagnostics,
  type Syntax,
  ucharPlus,
  writeAuthority,
} from "@anyscheme/core/syntax";

// hsegment = search = *[ uchar | ";" | ":" | "@" | "&" | "=" ]            RFC 1738 §5
const segmentCharacters: CharacterClass = ucharPlus(";:@&=");
const searchCharacters: CharacterClass = segmentCharacters;
// hpath = hsegment *[ "/" hsegment ]
const pathCharacters: CharacterClass = ucharPlus(";:@&=/");
// query = *( pchar / "/" / "?" )            RFC 3986 §3.4, by which a request line is read
const queryCharacters: CharacterClass = ucharPlus(";:@&=/?");

export type HttpName = "http" | "https";

// RFC 1738 §3.3: "If :<port> is omitted, the port defaults to 80." RFC 9110 §4.2.2 for https.
const DEFAULT_PORTS: Readonly<Record<HttpName, number>> = { http: 80, https: 443 };

/** `http://<host>:<port>/<path>?<searchpart>`, and the same for https. RFC 1738 §3.3. */
export class HttpUrl<Name extends HttpName = HttpName> extends InternetUrl<Name> {
  /** What follows the "/" after the host, as written; `undefined` without that "/". */
  get path(): string | undefined {
    const { authorityEnd, authorityLimit } = this;
    return authorityEnd < authorityLimit ? this.href.slice(authorityEnd + 1, authorityLimit) : undefined;
  }

  /** What follows the first "?", as written; `undefined` without a "?". */
  get search(): string | undefined {
    const { authorityLimit, end } = this;
    return authorityLimit < end ? this.href.slice(authorityLimit + 1, end) : undefined;
  }

  protected override get defaultPort(): number {
    return DEFAULT_PORTS[this.scheme];
  }

  /** The index of the "?" before the search, which ends whatever it stands behind; else the end. */
  protected override get authorityLimit(): number {
    const { href, end } = this;
    const mark = href.indexOf("?");
    return mark < 0 || mark > end ? end : mark;
  }

  /**
   * What the request line asks for: path and search exactly as written, but for characters that no request line may have,
   * which become escapes. A "/" or "?" in the search, which RFC 1738 would have encoded and `format` encodes, stays: servers
   * know only the later grammar, and some tell "/" from "%2F". RFC 9112 §3.2.1.
   */
  get requestTarget(): string {
    const search = this.search === undefined ? "" : `?${escapeDisallowed(this.search, queryCharacters)}`;
    return `/${escapeDisallowed(this.path ?? "", pathCharacters)}${search}`;
  }

  override components(): Readonly<Record<string, unknown>> {
    const { scheme, host, port, path, search } = this;
    return { scheme, host, port, path, search };
  }
}

/** What `build` takes for an http or https URL. */
export interface HttpParts {
  readonly host: string;
  readonly port?: number | string | undefined;
  /**
   * The path without its first "/": as one text, where "/" separates segments, or as a list of segments, where a "/" inside
   * one is encoded. `; : @ & =` stand for themselves; everything else that may not be written is encoded, "%" and "?" too.
   */
  readonly path?: Decoded | readonly Decoded[] | undefined;
  /** `; : @ & =` stand for themselves; everything else that may not be written is encoded, "/" and "?" too. */
  readonly search?: Decoded | undefined;
}

/** `httpurl = "http://" hostport [ "/" hpath [ "?" search ]]`. RFC 1738 §5. */
export const httpSyntax: Syntax<HttpUrl<"http">, HttpParts> = syntaxOf("http");

/** The same grammar under the name of HTTP over TLS. RFC 9110 §4.2.2. */
export const httpsSyntax: Syntax<HttpUrl<"https">, HttpParts> = syntaxOf("https");

function syntaxOf<Name extends HttpName>(name: Name): Syntax<HttpUrl<Name>, HttpParts> {
  return defineSyntax<HttpUrl<Name>, HttpParts>({
    schemes: [name],
    defaultPort: DEFAULT_PORTS[name],
    hierarchy: "path-and-search",
    emptyPath: "",
    schemepart: `//${hostportSource}(?:/${pathCharacters.source}(?:\\?${searchCharacters.source})?)?`,
    diagnose(reading) {
      const authorityEnd = checkHost(reading);
      if (authorityEnd === undefined) return false;
      const mark = reading.next("?", authorityEnd);
      return (
        reading.check(authorityEnd, mark, pathCharacters) &&
        reading.check(mark + 1, reading.end, searchCharacters, { reserved: "/?" })
      );
    },
    url: (text, deviations) => new HttpUrl<Name>(text, deviations),
    write(parts, escape) {
      const { host, port, path, search } = parts;
      const bare = path === undefined && search === undefined;
      const written = bare ? "" : `/${writePath(path ?? "", escape)}`;
      const question = search === undefined ? "" : `?${escape(search, searchCharacters, queryCharacters)}`;
      return `${name}:${writeAuthority({ host, port }, escape)}${written}${question}`;
    },
  });
}

/**
 * Checks the host and port. A "?" before the first "/" ends them in tolerant mode only, and only when no "@" follows it: in
 * `http://one?@other/` other readers see another host.
 */
function checkHost(reading: Diagnostics): number | undefined {
  const { text, start, end } = reading;
  const from = start + 2;
  const mark = reading.next("?", from);
  const stop = reading.next("/", from);
  const early = text.startsWith("//", start) && mark < stop;
  if (!early || text.lastIndexOf("@", stop - 1) >= from) return checkAuthority(reading, { login: false });
  reading.end = mark;
  const authorityEnd = checkAuthority(reading, { login: false });
  reading.end = end;
  if (authorityEnd === undefined) return undefined;
  return reading.reportDeviation(MISSING_SLASH, mark, 0, 'write "/" before the "?"')
    ? authorityEnd
    : undefined;
}

function writePath(path: Decoded | readonly Decoded[], escape: Escape): string {
  if (typeof path === "string" || path instanceof Uint8Array) return escape(path, pathCharacters);
  return path.map((segment) => escape(segment, segmentCharacters)).join("/");
}
