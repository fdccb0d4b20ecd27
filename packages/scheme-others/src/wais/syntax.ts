import {
  type CharacterClass,
  checkAuthority,
  type TextOrBytes,
  defineSyntax,
  type ComponentEscaper,
  type UrlFaultDefinition,
  hostportRegExpSource,
  InternetUrl,
  MISSING_PATH_SLASH_FAULT,
  type ParseDiagnostics,
  type Syntax,
  uchar,
  extendUchar,
  createInvalidPartsError,
  writeAuthority,
} from "@anyscheme/core/syntax";

// database = wtype = wpath = *uchar, search = *[ uchar | ";" | ":" | "@" | "&" | "=" ]            RFC 1738 §5
const searchCharacters: CharacterClass = extendUchar(";:@&=");
/** The reserved characters in an unescaped document-id, such as `1=host:210;2=database;…`. */
const TOLERATED_WPATH_CHARACTERS = { reserved: ";/?:@&=" };

// RFC 1738 §3.9: "If :<port> is omitted, the port defaults to 210."
const DEFAULT_PORT = 210;

const BAD_WAIS_PATH_FAULT: UrlFaultDefinition = {
  code: "bad-wais-path",
  section: "3.9",
  message: "a path is <database>, <database>?<search> or <database>/<wtype>/<wpath>",
};

/** The three forms of a wais URL (RFC 1738 §3.9). */
export type WaisUrlKind = "database" | "index" | "document";

/** `wais://<host>:<port>/<database>`, optionally followed by `?<search>` or `/<wtype>/<wpath>`. RFC 1738 §3.9. */
export class WaisUrl extends InternetUrl<"wais"> {
  /**
   * The form of the wais URL. `"index"` has a search, `"document"` has a wtype and a wpath, and `"database"` has
   * neither.
   */
  get kind(): WaisUrlKind {
    const path = this.pathText ?? "";
    const mark = path.charAt(findDatabaseEnd(path));
    return mark === "?" ? "index" : mark === "/" ? "document" : "database";
  }

  /** The name of the database in the wais URL as written, which may be empty. */
  get database(): string {
    const path = this.pathText ?? "";
    return path.slice(0, findDatabaseEnd(path));
  }

  /** The words of a WAIS search, as written. `undefined` for the wais URL of a database or a document. */
  get search(): string | undefined {
    return this.kind === "index" ? this.#afterDatabase() : undefined;
  }

  /**
   * The document type as written, "the WAIS designation of the type of the object". `undefined` for the wais
   * URL of a database or a search.
   */
  get wtype(): string | undefined {
    return this.kind === "document" ? this.#afterDatabase().split("/", 1)[0] : undefined;
  }

  /**
   * The document-id, which "should be treated opaquely", as written. `undefined` for the wais URL of a
   * database or a search.
   */
  get wpath(): string | undefined {
    if (this.kind !== "document") return undefined;
    const rest = this.#afterDatabase();
    return rest.slice(rest.indexOf("/") + 1);
  }

  protected override get defaultPort(): number {
    return DEFAULT_PORT;
  }

  override components(): Readonly<Record<string, unknown>> {
    const { scheme, host, port, kind, database, search, wtype, wpath } = this;
    return { scheme, host, port, kind, database, search, wtype, wpath };
  }

  #afterDatabase(): string {
    const path = this.pathText ?? "";
    return path.slice(findDatabaseEnd(path) + 1);
  }
}

/**
 * The components from which `build` builds a wais URL, as decoded text or bytes. A wais URL has a search, or a wtype
 * and a wpath, or neither.
 */
export interface WaisUrlBuildParts {
  readonly host: string;
  readonly port?: number | string | undefined;
  readonly database: TextOrBytes;
  readonly search?: TextOrBytes | undefined;
  readonly wtype?: TextOrBytes | undefined;
  readonly wpath?: TextOrBytes | undefined;
}

/** `waisurl = waisdatabase | waisindex | waisdoc` (RFC 1738 §5). */
export const waisSyntax: Syntax<WaisUrl, WaisUrlBuildParts> = defineSyntax<WaisUrl, WaisUrlBuildParts>({
  schemes: ["wais"],
  defaultPort: DEFAULT_PORT,
  schemePartPattern: `//${hostportRegExpSource}/${uchar.source}(?:\\?${searchCharacters.source}|/${uchar.source}/${uchar.source})?`,
  reportDeviations(diagnostics) {
    const slash = checkAuthority(diagnostics, { login: false });
    if (slash === undefined) return false;
    if (slash === diagnostics.schemePartEnd)
      return diagnostics.reportDeviation(MISSING_PATH_SLASH_FAULT, slash, 0, 'write "/" after the host');
    return checkWaisUrlPath(diagnostics, slash + 1);
  },
  createUrlFromText: (text, deviations) => new WaisUrl(text, deviations),
  formatUrl(parts, escape) {
    const { host, port, database } = parts;
    const path = escape(database, uchar) + formatSearchOrDocument(parts, escape);
    return `wais:${writeAuthority({ host, port }, escape)}/${path}`;
  },
});

/**
 * Returns the index of the first "?" or "/", or the length of the path. The first "?" or "/" after the host determines
 * the form of the wais URL.
 */
function findDatabaseEnd(path: string): number {
  const mark = path.search(/[?/]/);
  return mark < 0 ? path.length : mark;
}

function checkWaisUrlPath(diagnostics: ParseDiagnostics, start: number): boolean {
  const { urlText: text, schemePartEnd } = diagnostics;
  const mark = start + findDatabaseEnd(text.slice(start, schemePartEnd));
  if (!diagnostics.checkCharacters(start, mark, uchar)) return false;
  if (mark === schemePartEnd) return true;
  if (text.charAt(mark) === "?")
    return diagnostics.checkCharacters(mark + 1, schemePartEnd, searchCharacters);
  const slash = diagnostics.indexOf("/", mark + 1);
  if (slash < schemePartEnd) {
    return (
      diagnostics.checkCharacters(mark + 1, slash, uchar) &&
      diagnostics.checkCharacters(slash + 1, schemePartEnd, uchar, TOLERATED_WPATH_CHARACTERS)
    );
  }
  return (
    diagnostics.checkCharacters(mark + 1, schemePartEnd, uchar) &&
    diagnostics.reportFault(BAD_WAIS_PATH_FAULT, schemePartEnd, 0, 'write "/" and the wpath')
  );
}

function formatSearchOrDocument(
  { search, wtype, wpath }: WaisUrlBuildParts,
  escape: ComponentEscaper,
): string {
  if (wtype !== undefined && wpath !== undefined && search === undefined)
    return `/${escape(wtype, uchar)}/${escape(wpath, uchar)}`;
  if (wtype !== undefined || wpath !== undefined)
    throw createInvalidPartsError(BAD_WAIS_PATH_FAULT, "pass a wtype and a wpath, or a search");
  return search === undefined ? "" : `?${escape(search, searchCharacters)}`;
}
