import {
  checkAuthority,
  defineSyntax,
  type Fault,
  hostportSource,
  InternetUrl,
  MISSING_SLASH,
  type Diagnostics,
  type Syntax,
  invalidPartsError,
  writeAuthority,
} from "@anyscheme/core/syntax";
import {
  BAD_GROUP,
  checkGroupName,
  GROUP_ADVICE,
  decodeGroupName,
  groupSource,
  TRAILING_SLASH,
} from "./group-name.ts";

// What else servers name groups by, "9fans" and "2.test"; a pattern of names is no name, since GROUP asks for one.
const LENIENT_GROUP = /^[A-Za-z0-9.+_-]+$/;

const BAD_ARTICLE_NUMBER: Fault = ["bad-article-number", "3.7", "an article number is a decimal number"];

export type NntpName = "nntp" | "nntps";

// RFC 1738 §3.7: "If :<port> is omitted, the port defaults to 119." RFC 8143 §2.1 for nntps.
/** The ports of these schemes where a URL names none. */
export const DEFAULT_PORTS: Readonly<Record<NntpName, number>> = { nntp: 119, nntps: 563 };

/** `nntp://<host>:<port>/<newsgroup-name>/<article-number>`, and the same for nntps. RFC 1738 §3.7. */
export class NntpUrl<Name extends NntpName = NntpName> extends InternetUrl<Name> {
  /** The name of the group, without escapes; `undefined` only in `nntp://host`, which tolerant mode reads. */
  get group(): string | undefined {
    const [name = ""] = this.pathText?.split("/", 1) ?? [];
    return decodeGroupName(name) || undefined;
  }

  /** The digits of the article number as written; `undefined` without one, which §5 allows and which means the group. */
  get article(): string | undefined {
    return this.pathText?.split("/", 2)[1] || undefined;
  }

  protected override get defaultPort(): number {
    return DEFAULT_PORTS[this.scheme];
  }

  override components(): Readonly<Record<string, unknown>> {
    const { scheme, host, port, group, article } = this;
    return { scheme, host, port, group, article };
  }
}

/** What `build` takes. */
export interface NntpParts {
  readonly host: string;
  readonly port?: number | string | undefined;
  readonly group?: string | undefined;
  readonly article?: number | string | undefined;
}

/** `nntpurl = "nntp://" hostport "/" group [ "/" digits ]`. RFC 1738 §5. */
export const nntpSyntax: Syntax<NntpUrl<"nntp">, NntpParts> = syntaxOf("nntp");

/** The same over TLS from the first byte on, which RFC 1738 does not know. */
export const nntpsSyntax: Syntax<NntpUrl<"nntps">, NntpParts> = syntaxOf("nntps");

function syntaxOf<Name extends NntpName>(name: Name): Syntax<NntpUrl<Name>, NntpParts> {
  return defineSyntax<NntpUrl<Name>, NntpParts>({
    schemes: [name],
    defaultPort: DEFAULT_PORTS[name],
    schemepart: `//${hostportSource}/${groupSource}(?:/\\d+)?`,
    diagnose(reading) {
      const slash = checkAuthority(reading, { login: false });
      return slash !== undefined && checkPath(reading, slash);
    },
    url: (text, deviations) => new NntpUrl<Name>(text, deviations),
    write({ host, port, group = "", article }, escape) {
      if (group !== "" && !LENIENT_GROUP.test(group)) throw invalidPartsError(BAD_GROUP, GROUP_ADVICE);
      const number = article === undefined ? "" : `/${article}`;
      return `${name}:${writeAuthority({ host, port }, escape)}/${group}${number}`;
    },
  });
}

/**
 * The URL of a group of this server, or of an article of it. `undefined` for a group that no URL can name; names that servers have and
 * RFC 1738 does not know, as "9fans", make a URL that departs from it.
 */
export function urlForServer(server: NntpUrl, group: string, article?: number | string): NntpUrl | undefined {
  if (!LENIENT_GROUP.test(group)) return undefined;
  const { scheme, host, port } = server;
  const place = port === undefined ? host : `${host}:${port}`;
  const path = article === undefined ? group : `${group}/${article}`;
  return (scheme === "nntps" ? nntpsSyntax : nntpSyntax).tryParse(`${scheme}://${place}/${path}`).url;
}

function checkPath(reading: Diagnostics, slash: number): boolean {
  const { end } = reading;
  if (slash === end)
    return reading.reportDeviation(MISSING_SLASH, slash, 0, 'write "/" and the name of a group');
  if (slash + 1 === end) return reading.reportDeviation(TRAILING_SLASH, slash, 1, "name a group behind it");
  const groupEnd = reading.next("/", slash + 1);
  const isGroup = checkGroupName(reading, slash + 1, groupEnd, (name) => LENIENT_GROUP.test(name));
  return isGroup && (groupEnd === end || checkNumber(reading, groupEnd));
}

function checkNumber(reading: Diagnostics, slash: number): boolean {
  const number = reading.text.slice(slash + 1, reading.end);
  if (number === "") return reading.reportDeviation(TRAILING_SLASH, slash, 1, "leave it out");
  const stray = number.search(/\D/);
  if (stray < 0) return true;
  return reading.reportFault(BAD_ARTICLE_NUMBER, slash + 1 + stray, 1, "write decimal digits only");
}
