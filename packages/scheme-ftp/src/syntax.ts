import {
  checkAuthority,
  type CharacterClass,
  escapeDisallowed,
  type TextOrBytes,
  defineSyntax,
  type ComponentEscaper,
  type UrlFaultDefinition,
  InternetUrl,
  authorityRegExpSource,
  type ParseDiagnostics,
  RESERVED_CHARACTER_FAULT,
  type Syntax,
  extendUchar,
  writeAuthority,
} from "@anyscheme/core/syntax";

// fsegment = *[ uchar | "?" | ":" | "@" | "&" | "=" ]            RFC 1738 §5
const segmentCharacters: CharacterClass = extendUchar("?:@&=");
const pathCharacters: CharacterClass = extendUchar("?:@&=/");

/** `ftptype = "A" | "I" | "D" | "a" | "i" | "d"`. RFC 1738 §5. */
export type FtpTypecode = "A" | "I" | "D" | "a" | "i" | "d";

// RFC 1738 §3.2: "If :<port> is omitted, the port defaults to 21."
const DEFAULT_PORT = 21;

const BAD_TYPECODE: UrlFaultDefinition = {
  code: "bad-typecode",
  section: "3.2.2",
  message: "the typecode is one of 'a', 'i' and 'd'",
};
const UPPERCASE_TYPE_KEYWORD: UrlFaultDefinition = {
  code: "type-keyword",
  section: "5",
  message: "the keyword ';type=' is written in lower case",
};

const TYPE_PARAMETER = /^;type=.$/i;
const TYPE_PARAMETER_LENGTH = ";type=a".length;

/** `ftp://<user>:<password>@<host>:<port>/<cwd1>/<cwd2>/.../<cwdN>/<name>;type=<typecode>`. RFC 1738 §3.2. */
export class FtpUrl extends InternetUrl<"ftp"> {
  /**
   * The path segments of an FTP URL that become arguments of CWD, as written, empty segments included. RFC 1738 §3.2.2.
   */
  get cwd(): readonly string[] {
    return Object.freeze(this.#segments().slice(0, -1));
  }

  /**
   * The last segment of the path, as written. `""` is an empty file name; `undefined` means that the URL has no path.
   * RFC 1738 §3.2.2.
   */
  get name(): string | undefined {
    return this.#segments().at(-1);
  }

  /** The typecode as written; `undefined` without `;type=`. RFC 1738 §3.2.3. */
  get type(): FtpTypecode | undefined {
    return this.#pathEnd() < this.urlEnd ? (this.href.charAt(this.urlEnd - 1) as FtpTypecode) : undefined;
  }

  protected override get defaultPort(): number {
    return DEFAULT_PORT;
  }

  override components(): Readonly<Record<string, unknown>> {
    const { cwd, name, type } = this;
    return { ...super.components(), cwd, name, type };
  }

  /** Splits the path before it is decoded, so that `%2F` does not separate segments. */
  #segments(): string[] {
    if (this.authorityEnd === this.urlEnd) return [];
    return this.href.slice(this.authorityEnd + 1, this.#pathEnd()).split("/");
  }

  /** Returns the index of the ";" before the type, or the end of the URL. */
  #pathEnd(): number {
    // The host of a URL contains no "=", so a `;type=` that matches is in the path.
    const start = this.urlEnd - TYPE_PARAMETER_LENGTH;
    return TYPE_PARAMETER.test(this.href.slice(start, this.urlEnd)) ? start : this.urlEnd;
  }
}

/** The parts of a URL for `build`, as decoded text or bytes. */
export interface FtpUrlBuildParts {
  readonly user?: TextOrBytes | undefined;
  readonly password?: TextOrBytes | undefined;
  readonly host: string;
  readonly port?: number | string | undefined;
  readonly cwd?: readonly TextOrBytes[] | undefined;
  /**
   * The last segment of the path. By default, this segment is empty if directories or a type are given; otherwise the
   * FTP URL has no path.
   */
  readonly name?: TextOrBytes | undefined;
  readonly type?: FtpTypecode | undefined;
}

/** `ftpurl = "ftp://" login [ "/" fpath [ ";type=" ftptype ]]`. RFC 1738 §5. */
export const ftpSyntax: Syntax<FtpUrl, FtpUrlBuildParts> = defineSyntax<FtpUrl, FtpUrlBuildParts>({
  schemes: ["ftp"],
  defaultPort: DEFAULT_PORT,
  hierarchy: "path",
  emptyPathEquivalent: "",
  schemePartPattern: `//${authorityRegExpSource}(?:/${pathCharacters.source}(?:;type=[AIDaid])?)?`,
  reportDeviations(diagnostics) {
    const slash = checkAuthority(diagnostics, { login: true });
    return slash !== undefined && checkFtpPath(diagnostics, slash);
  },
  createUrlFromText: (text, deviations) => new FtpUrl(text, deviations),
  formatUrl: writeFtpUrl,
});

/**
 * Creates the URL of an entry in a listing of `base`. `directories` are the path segments between the listed directory
 * `base` and the entry. The URL of the entry has the user name and password of the listing's URL `base`.
 */
export function createFtpEntryUrl(
  base: FtpUrl,
  directories: readonly Uint8Array[],
  name: Uint8Array,
): FtpUrl {
  const { user, password, host, port } = base;
  // The URL of a listing entry may exceed the length limit of URLs, because the server chooses the length of the name.
  // The client checks the length limit only when the URL of the entry is requested.
  return ftpSyntax.parse(
    writeFtpUrl({ user, password, host, port, cwd: [...base.cwd, ...directories], name }, escapeDisallowed),
    { maxLength: Infinity },
  );
}

function writeFtpUrl(parts: FtpUrlBuildParts, escape: ComponentEscaper): string {
  const { cwd = [], name, type } = parts;
  const start = `ftp:${writeAuthority(parts, escape)}`;
  if (cwd.length === 0 && name === undefined && type === undefined) return start;
  const segments = [...cwd, name ?? ""].map((segment) => escape(segment, segmentCharacters));
  return `${start}/${segments.join("/")}${type === undefined ? "" : `;type=${type}`}`;
}

/** Checks the path of an FTP URL from its first "/" on. */
function checkFtpPath(diagnostics: ParseDiagnostics, slash: number): boolean {
  if (slash === diagnostics.schemePartEnd) return true;
  const path = diagnostics.urlText.slice(slash, diagnostics.schemePartEnd);
  const mark = path.includes(";") ? path.search(/;type=/i) : -1;
  // A ";" that does not start the type belongs to its segment, as in "FILE.TXT;1".
  const tolerance = { reserved: ";", reservedAllowedByRfc: "RFC 3986 §3.3" };
  if (mark < 0)
    return diagnostics.checkCharacters(slash + 1, diagnostics.schemePartEnd, pathCharacters, tolerance);
  return (
    diagnostics.checkCharacters(slash + 1, slash + mark, pathCharacters, tolerance) &&
    checkTypeParameter(diagnostics, slash + mark)
  );
}

/**
 * Checks `;type=<typecode>` at `mark`. `;type=` must be at the end of an FTP URL, because some parsers end the path at
 * a `;type=` in the middle.
 */
function checkTypeParameter(diagnostics: ParseDiagnostics, mark: number): boolean {
  const equals = mark + ";type".length;
  const code = diagnostics.urlText.slice(equals + 1, diagnostics.schemePartEnd);
  if (code.includes("/")) return diagnostics.reportFault(RESERVED_CHARACTER_FAULT, mark, 1, 'write "%3B"');
  const keyword = diagnostics.urlText.slice(mark, equals);
  if (
    keyword !== ";type" &&
    !diagnostics.reportDeviation(UPPERCASE_TYPE_KEYWORD, mark, keyword.length, 'write ";type="')
  )
    return false;
  if (!diagnostics.checkCharacters(equals + 1, diagnostics.schemePartEnd, segmentCharacters)) return false;
  const advice = 'write "a", "i" or "d", or "%3B" for a ";" of the name';
  return /^[AIDaid]$/.test(code) || diagnostics.reportFault(BAD_TYPECODE, equals + 1, code.length, advice);
}
