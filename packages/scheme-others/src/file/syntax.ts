import {
  type AuthorityComponents,
  checkAuthority,
  type CharacterClass,
  type TextOrBytes,
  defineSyntax,
  type UrlFaultDefinition,
  hostRegExpSource,
  InternetUrl,
  MISSING_PATH_SLASH_FAULT,
  type ParseDiagnostics,
  percentDecodeText,
  removeDotSegments,
  splitAuthority,
  type Syntax,
  extendUchar,
  writeAuthority,
} from "@anyscheme/core/syntax";

// fsegment = *[ uchar | "?" | ":" | "@" | "&" | "=" ]            RFC 1738 §5
const segmentCharacters: CharacterClass = extendUchar("?:@&=");
const pathCharacters: CharacterClass = extendUchar("?:@&=/");

const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

const SINGLE_SLASH_FAULT: UrlFaultDefinition = {
  code: "single-slash",
  section: "3.10",
  message: "the '//' before the host is missing",
  allowedByRfc: "RFC 8089 §2",
};

/** A URL `file://<host>/<path>`. RFC 1738 §3.10. */
export class FileUrl extends InternetUrl<"file"> {
  /** The segments of the path as written, without the "/" after the host. */
  get segments(): readonly string[] {
    return Object.freeze(this.href.slice(Math.max(this.authorityEnd, 5) + 1, this.urlEnd).split("/"));
  }

  /**
   * The segments of the path that the client opens: without dot segments, as RFC 3986 §5.2.4 removes them. A Windows
   * drive is kept, as in `file:///C:/../x`. The mode `rfc1738` keeps dot segments. Dot segments after a "?" are also
   * kept, because RFC 3986 ends the path at the "?". The client refuses a URL whose dot segments are kept.
   */
  get resolvedSegments(): readonly string[] {
    const { segments } = this;
    if (this.mode === "rfc1738" || !segments.some((segment) => DOT_SEGMENT.test(segment))) return segments;
    const [, path = "", rest = ""] = /^([^?]*)(.*)$/s.exec(segments.join("/")) ?? [];
    return Object.freeze((removeFileDotSegments(`/${path}`).slice(1) + rest).split("/"));
  }

  /**
   * True when the host of a file URL is empty or `localhost`: "the machine from which the URL is being interpreted".
   */
  get isLocal(): boolean {
    return this.host === "" || this.effectiveHost === "localhost";
  }

  protected override splitAuthority(text: string, end: number): AuthorityComponents {
    return splitAuthority(text, text.startsWith("//", 5) ? 7 : -1, end);
  }

  override components(): Readonly<Record<string, unknown>> {
    return { scheme: this.scheme, host: this.host, segments: this.segments };
  }
}

/** The parts from which `build` builds a file URL. */
export interface FileUrlBuildParts {
  /** The host. Default: the empty host in a file URL, which is this machine. */
  readonly host?: string | undefined;
  readonly segments: readonly TextOrBytes[];
}

/** `fileurl = "file://" [ host | "localhost" ] "/" fpath`. RFC 1738 §5. */
export const fileSyntax: Syntax<FileUrl, FileUrlBuildParts> = defineSyntax<FileUrl, FileUrlBuildParts>({
  schemes: ["file"],
  hierarchy: "path",
  // RFC 1738 §3.10: "<host> can be the string "localhost" or the empty string".
  emptyHostEquivalent: "localhost",
  removeDotSegments: removeFileDotSegments,
  schemePartPattern: `//(?:${hostRegExpSource})?/${pathCharacters.source}`,
  reportDeviations(diagnostics) {
    const slash = checkFileUrlHost(diagnostics);
    if (slash === undefined) return false;
    if (slash === diagnostics.schemePartEnd)
      return diagnostics.reportFault(MISSING_PATH_SLASH_FAULT, slash, 0, 'write "/" after the host');
    return diagnostics.checkCharacters(slash + 1, diagnostics.schemePartEnd, pathCharacters, {
      reserved: ";",
      reservedAllowedByRfc: "RFC 3986 §3.3",
    });
  },
  createUrlFromText: (text, deviations) => new FileUrl(text, deviations),
  formatUrl(parts, escape) {
    const path = parts.segments.map((segment) => escape(segment, segmentCharacters)).join("/");
    const authority = parts.host ? writeAuthority({ host: parts.host }, escape) : "//";
    return `file:${authority}/${path}`;
  },
});

// RFC 8089 Appendix E.2: a drive such as "c:" or "c|" is the root of an absolute path.
function removeFileDotSegments(path: string): string {
  return removeDotSegments(path, (segment) => /^[a-z][:|]$/i.test(percentDecodeText(segment)));
}

/**
 * Checks the host of a file URL and returns the index of the slash after the host. Modern mode accepts `file:/path`,
 * without a host.
 */
function checkFileUrlHost(diagnostics: ParseDiagnostics): number | undefined {
  const { urlText: text, schemePartStart } = diagnostics;
  if (text.startsWith("/", schemePartStart) && !text.startsWith("//", schemePartStart)) {
    return diagnostics.reportDeviation(SINGLE_SLASH_FAULT, schemePartStart, 1, 'write "///"')
      ? schemePartStart
      : undefined;
  }
  return checkAuthority(diagnostics, { login: false, port: false, emptyHost: true });
}
