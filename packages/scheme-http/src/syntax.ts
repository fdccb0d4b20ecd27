import {
  type Authority,
  type CharacterClass,
  conform,
  type Decoded,
  defineSyntax,
  type Escape,
  InternetUrl,
  readAuthority,
  type Reading,
  type Syntax,
  ucharAnd,
  writeAuthority,
} from "@anyscheme/core/syntax";

// hsegment = search = *[ uchar | ";" | ":" | "@" | "&" | "=" ]            RFC 1738 §5
const segmentCharacters: CharacterClass = ucharAnd(";:@&=");
const searchCharacters: CharacterClass = segmentCharacters;
// hpath = hsegment *[ "/" hsegment ]
const pathCharacters: CharacterClass = ucharAnd(";:@&=/");
// query = *( pchar / "/" / "?" )            RFC 3986 §3.4, by which a request line is read
const queryCharacters: CharacterClass = ucharAnd(";:@&=/?");

/** `http://<host>:<port>/<path>?<searchpart>`, and the same for https. RFC 1738 §3.3. */
export class HttpUrl<Name extends "http" | "https" = "http" | "https"> extends InternetUrl<Name> {
  readonly #path: string | undefined;
  readonly #search: string | undefined;

  constructor(
    reading: Reading,
    authority: Authority,
    defaultPort: number,
    path: string | undefined,
    search: string | undefined,
  ) {
    super(reading, authority, defaultPort);
    this.#path = path;
    this.#search = search;
  }

  /** What follows the "/" after the host, as written; `undefined` without that "/". */
  get path(): string | undefined {
    return this.#path;
  }

  /** What follows the first "?", as written; `undefined` without a "?". */
  get search(): string | undefined {
    return this.#search;
  }

  /**
   * What the request line asks for: path and search exactly as written, but for characters that no request line may have,
   * which become escapes. A "/" or "?" in the search, which RFC 1738 would have encoded and `format` encodes, stays: servers
   * know only the later grammar, and some tell "/" from "%2F". RFC 9112 §3.2.1.
   */
  get requestTarget(): string {
    const search = this.#search === undefined ? "" : `?${conform(this.#search, queryCharacters)}`;
    return `/${conform(this.#path ?? "", pathCharacters)}${search}`;
  }

  override components(): Readonly<Record<string, unknown>> {
    return {
      scheme: this.scheme,
      host: this.host,
      port: this.port,
      path: this.#path,
      search: this.#search,
    };
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
export const httpSyntax: Syntax<HttpUrl<"http">, HttpParts> = syntaxOf("http", 80);

/** The same grammar under the name of HTTP over TLS. RFC 9110 §4.2.2. */
export const httpsSyntax: Syntax<HttpUrl<"https">, HttpParts> = syntaxOf("https", 443);

function syntaxOf<Name extends "http" | "https">(
  name: Name,
  defaultPort: number,
): Syntax<HttpUrl<Name>, HttpParts> {
  return defineSyntax<HttpUrl<Name>, HttpParts>({
    schemes: [name],
    defaultPort,
    hierarchy: "path-and-search",
    read(reading) {
      const authority = readHost(reading);
      if (!authority) return undefined;
      const { text, end } = reading;
      const mark = text.indexOf("?", authority.end);
      const pathEnd = mark < 0 || mark > end ? end : mark;
      if (!reading.check(authority.end, pathEnd, pathCharacters)) return undefined;
      const path = authority.end < pathEnd ? text.slice(authority.end + 1, pathEnd) : undefined;
      const search = pathEnd < end ? text.slice(pathEnd + 1, end) : undefined;
      const searchIsRead =
        search === undefined || reading.check(pathEnd + 1, end, searchCharacters, { reserved: "/?" });
      if (!searchIsRead) return undefined;
      return new HttpUrl<Name>(reading, authority, defaultPort, path, search);
    },
    write(parts, escape) {
      const { host, port, path, search } = parts;
      const bare = path === undefined && search === undefined;
      const written = bare ? "" : `/${writePath(path ?? "", escape)}`;
      const question = search === undefined ? "" : `?${escape(search, searchCharacters)}`;
      return `${name}:${writeAuthority({ host, port }, escape)}${written}${question}`;
    },
  });
}

/**
 * The host and port. A "?" before the first "/" ends them in tolerant mode only, and only when no "@" follows it: in
 * `http://one?@other/` other readers see another host.
 */
function readHost(reading: Reading): Authority | undefined {
  const { text, start, end } = reading;
  const from = start + 2;
  const mark = text.indexOf("?", from);
  const slash = text.indexOf("/", from);
  const stop = slash < 0 || slash > end ? end : slash;
  const early = text.startsWith("//", start) && mark >= 0 && mark < stop;
  if (!early || text.lastIndexOf("@", stop - 1) >= from) return readAuthority(reading, { login: false });
  reading.end = mark;
  const authority = readAuthority(reading, { login: false });
  reading.end = end;
  if (!authority || !reading.depart("missing-slash", mark, 0, 'write "/" before the "?"')) return undefined;
  return authority;
}

function writePath(path: Decoded | readonly Decoded[], escape: Escape): string {
  if (typeof path === "string" || path instanceof Uint8Array) return escape(path, pathCharacters);
  return path.map((segment) => escape(segment, segmentCharacters)).join("/");
}
