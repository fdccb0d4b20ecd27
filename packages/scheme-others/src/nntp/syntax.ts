import {
  checkAuthority,
  defineSyntax,
  type UrlFaultDefinition,
  hostportRegExpSource,
  InternetUrl,
  MISSING_PATH_SLASH_FAULT,
  type ParseDiagnostics,
  type Syntax,
  createInvalidPartsError,
  writeAuthority,
} from "@anyscheme/core/syntax";
import {
  BAD_GROUP_URL_FAULT,
  checkGroupNameInUrl,
  GROUP_NAME_ADVICE,
  decodeGroupNameEscapes,
  GROUP_NAME_REGEXP_SOURCE,
  NOTHING_AFTER_SLASH_FAULT,
} from "./group-name.ts";

// The group names that modern mode accepts, such as "9fans" and "2.test". The expression excludes patterns of
// group names, because the NNTP command GROUP selects one group.
const LENIENT_GROUP_NAME = /^[A-Za-z0-9.+_-]+$/;

const BAD_ARTICLE_NUMBER_FAULT: UrlFaultDefinition = {
  code: "bad-article-number",
  section: "3.7",
  message: "an article number is a decimal number",
};

export type NntpSchemeName = "nntp" | "nntps";

/** RFC 1738 §3.7: "If :<port> is omitted, the port defaults to 119." RFC 8143 §2.1 defines the port of nntps. */
export const NNTP_DEFAULT_PORTS: Readonly<Record<NntpSchemeName, number>> = { nntp: 119, nntps: 563 };

/** A URL `nntp://<host>:<port>/<newsgroup-name>/<article-number>` with the scheme nntp or nntps (RFC 1738 §3.7). */
export class NntpUrl<Name extends NntpSchemeName = NntpSchemeName> extends InternetUrl<Name> {
  /**
   * The decoded name of the newsgroup in an nntp URL. `undefined` for an nntp URL with only a host, which modern mode
   * accepts.
   */
  get group(): string | undefined {
    const [name = ""] = this.pathText?.split("/", 1) ?? [];
    return decodeGroupNameEscapes(name) || undefined;
  }

  /** The digits of the article number as written. `undefined` for the nntp URL of a group. */
  get article(): string | undefined {
    return this.pathText?.split("/", 2)[1] || undefined;
  }

  protected override get defaultPort(): number {
    return NNTP_DEFAULT_PORTS[this.scheme];
  }

  override components(): Readonly<Record<string, unknown>> {
    const { scheme, host, port, group, article } = this;
    return { scheme, host, port, group, article };
  }
}

/** The components from which `build` builds an nntp URL. */
export interface NntpUrlBuildParts {
  readonly host: string;
  readonly port?: number | string | undefined;
  readonly group?: string | undefined;
  readonly article?: number | string | undefined;
}

/** `nntpurl = "nntp://" hostport "/" group [ "/" digits ]` (RFC 1738 §5). */
export const nntpSyntax: Syntax<NntpUrl<"nntp">, NntpUrlBuildParts> = createNntpSyntax("nntp");

/**
 * The syntax of nntps URLs, for NNTP over TLS from the first byte on (RFC 8143). RFC 1738 does not define this
 * scheme.
 */
export const nntpsSyntax: Syntax<NntpUrl<"nntps">, NntpUrlBuildParts> = createNntpSyntax("nntps");

function createNntpSyntax<Name extends NntpSchemeName>(name: Name): Syntax<NntpUrl<Name>, NntpUrlBuildParts> {
  return defineSyntax<NntpUrl<Name>, NntpUrlBuildParts>({
    schemes: [name],
    defaultPort: NNTP_DEFAULT_PORTS[name],
    schemePartPattern: `//${hostportRegExpSource}/${GROUP_NAME_REGEXP_SOURCE}(?:/\\d+)?`,
    reportDeviations(diagnostics) {
      const slash = checkAuthority(diagnostics, { login: false });
      return slash !== undefined && checkNntpUrlPath(diagnostics, slash);
    },
    createUrlFromText: (text, deviations) => new NntpUrl<Name>(text, deviations),
    formatUrl({ host, port, group = "", article }, escape) {
      if (group !== "" && !LENIENT_GROUP_NAME.test(group))
        throw createInvalidPartsError(BAD_GROUP_URL_FAULT, GROUP_NAME_ADVICE);
      const number = article === undefined ? "" : `/${article}`;
      return `${name}:${writeAuthority({ host, port }, escape)}/${group}${number}`;
    },
  });
}

/**
 * Builds the URL of a group on a server, or of an article in a group. Returns `undefined` for a group that no URL
 * can contain. The URL of a group that is invalid in RFC 1738, such as "9fans", has a deviation.
 */
export function buildNntpUrlOnSameServer(
  server: NntpUrl,
  group: string,
  article?: number | string,
): NntpUrl | undefined {
  if (!LENIENT_GROUP_NAME.test(group)) return undefined;
  const { scheme, host, port } = server;
  const hostport = port === undefined ? host : `${host}:${port}`;
  const path = article === undefined ? group : `${group}/${article}`;
  return (scheme === "nntps" ? nntpsSyntax : nntpSyntax).tryParse(`${scheme}://${hostport}/${path}`).url;
}

function checkNntpUrlPath(diagnostics: ParseDiagnostics, slash: number): boolean {
  const { schemePartEnd } = diagnostics;
  if (slash === schemePartEnd)
    return diagnostics.reportDeviation(
      MISSING_PATH_SLASH_FAULT,
      slash,
      0,
      'write "/" and the name of a group',
    );
  if (slash + 1 === schemePartEnd)
    return diagnostics.reportDeviation(
      NOTHING_AFTER_SLASH_FAULT,
      slash,
      1,
      "write the name of a group after it",
    );
  const groupEnd = diagnostics.indexOf("/", slash + 1);
  const isGroup = checkGroupNameInUrl(diagnostics, slash + 1, groupEnd, (name) =>
    LENIENT_GROUP_NAME.test(name),
  );
  return isGroup && (groupEnd === schemePartEnd || checkArticleNumber(diagnostics, groupEnd));
}

function checkArticleNumber(diagnostics: ParseDiagnostics, slash: number): boolean {
  const number = diagnostics.urlText.slice(slash + 1, diagnostics.schemePartEnd);
  if (number === "") return diagnostics.reportDeviation(NOTHING_AFTER_SLASH_FAULT, slash, 1, "remove it");
  const invalid = number.search(/\D/);
  if (invalid < 0) return true;
  return diagnostics.reportFault(
    BAD_ARTICLE_NUMBER_FAULT,
    slash + 1 + invalid,
    1,
    "write decimal digits only",
  );
}
