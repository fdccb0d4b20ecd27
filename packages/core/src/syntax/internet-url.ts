import { UrlSyntaxError } from "./deviation.ts";
import { conformHost, hostForLookup, hostSource } from "./host.ts";
import { type CharacterClass, ucharAnd } from "./octets.ts";
import type { Decoded } from "./percent-encoding.ts";
import { deviation } from "./reading.ts";
import { type Found, MASK, type OtherReading, Url } from "./url.ts";

// user = password = *[ uchar | ";" | "?" | "&" | "=" ]            RFC 1738 §5
export const loginCharacters: CharacterClass = ucharAnd(";?&=");
// `format` and `build` never leave a "?" in a login: other readers end the host there.
const loginWritten: CharacterClass = ucharAnd(";&=");

// port = digits, at most 65535; leading zeros are legal text.
const port = "0*(?:6553[0-5]|655[0-2]\\d|65[0-4]\\d\\d|6[0-4]\\d{3}|[1-5]\\d{4}|\\d{1,4})";

/** `hostport = host [ ":" port ]` as the source of a regular expression. RFC 1738 §5. */
export const hostportSource: string = `${hostSource}(?::${port})?`;

/** `login = [ user [ ":" password ] "@" ] hostport` as the source of a regular expression. RFC 1738 §5. */
export const loginSource: string = `(?:${loginCharacters.source}(?::${loginCharacters.source})?@)?${hostportSource}`;

/** A URL with the common Internet scheme syntax: `//<user>:<password>@<host>:<port>/<url-path>`. RFC 1738 §3.1. */
export abstract class InternetUrl<Name extends string = string> extends Url<Name> {
  /**
   * The text has been checked. `start` is where the authority begins, behind its "//"; -1 for a URL that has none. It ends at
   * the next "/", and at `latest` if not before; default: the end of the URL.
   */
  constructor(text: string, found: Found, start: number, latest: number = Infinity) {
    super(text, found, start, latest);
  }

  /** The user name as written; `""` is an empty name, `undefined` none. RFC 1738 §3.1. */
  get user(): string | undefined {
    const { start, passwordMark, hostStart } = this.places;
    if (hostStart === start) return undefined;
    return this.href.slice(start, passwordMark < 0 ? hostStart - 1 : passwordMark);
  }

  /** The password as written; `""` is an empty password, `undefined` none. RFC 1738 §3.1. */
  get password(): string | undefined {
    const { passwordMark, hostStart } = this.places;
    return passwordMark < 0 ? undefined : this.href.slice(passwordMark + 1, hostStart - 1);
  }

  /** The host as written; `""` for a URL without one. */
  get host(): string {
    const { start, hostStart, hostEnd } = this.places;
    return start < 0 ? "" : this.href.slice(hostStart, hostEnd);
  }

  /** The port's digits as written; `undefined` when there are none. */
  get port(): string | undefined {
    const { hostEnd, end } = this.places;
    return hostEnd + 1 < end ? this.href.slice(hostEnd + 1, end) : undefined;
  }

  /** The port of the scheme, for URLs without one. */
  protected get defaultPort(): number | undefined {
    return undefined;
  }

  /** The port to connect to: the one written, or the scheme's default. 0 when there is neither. */
  get effectivePort(): number {
    return Number(this.port ?? this.defaultPort ?? 0);
  }

  /** The host as a resolver takes it: lower case, US-ASCII, an IPv6 address without brackets. */
  get effectiveHost(): string {
    return hostForLookup(this.host);
  }

  /** A "?" in the login ends the host for readers of later standards. */
  override get readings(): readonly OtherReading[] {
    const { start, hostStart } = this.places;
    const login = this.href.slice(start, hostStart);
    const mark = login.indexOf("?");
    if (mark < 0) return [];
    const host = login.slice(0, mark).replace(/:.*$/, "");
    return [
      { reader: "RFC 3986", host },
      { reader: "WHATWG", host },
    ];
  }

  override components(): Readonly<Record<string, unknown>> {
    const password = this.password && MASK;
    return { scheme: this.scheme, user: this.user, password, host: this.host, port: this.port };
  }

  override toString(): string {
    if (!this.password) return this.href;
    const { passwordMark, hostStart } = this.places;
    return this.href.slice(0, passwordMark + 1) + MASK + this.href.slice(hostStart - 1);
  }

  /** The index behind the authority: of the "/" before the url-path, or the end of the URL. */
  protected get authorityEnd(): number {
    return this.places.end;
  }

  /** What follows the "/" after the authority; `undefined` without that "/". RFC 1738 §3.1. */
  protected get pathText(): string | undefined {
    const { authorityEnd, end } = this;
    return authorityEnd < end ? this.href.slice(authorityEnd + 1, end) : undefined;
  }
}

/** What `build` takes for the login and host of a URL: decoded, to be encoded. */
export interface AuthorityParts {
  readonly user?: Decoded | undefined;
  readonly password?: Decoded | undefined;
  readonly host: string;
  readonly port?: number | string | undefined;
}

/** How a writer turns a component into URL characters: `encode` for decoded parts, `conform` for a parsed URL's. */
export type Escape = (component: Decoded, allowed: CharacterClass) => string;

/** Writes `//user:password@host:port`. Throws `UrlSyntaxError` for a host or port that would not be read as such. RFC 1738 §3.1. */
export function writeAuthority(parts: AuthorityParts, escape: Escape): string {
  const password = parts.password === undefined ? "" : `:${escape(parts.password, loginWritten)}`;
  const user = parts.user === undefined ? "" : escape(parts.user, loginWritten);
  const login = parts.user === undefined && parts.password === undefined ? "" : `${user}${password}@`;
  const port = parts.port === undefined ? "" : `:${parts.port}`;
  const host = conformHost(parts.host);
  if (/[/?#@:]/.test(host.replace(/^\[.*\]$/, ""))) {
    throw new UrlSyntaxError(deviation("bad-host", 0, 0, "give the name of a host and nothing else"));
  }
  if (!/^(?::\d+)?$/.test(port))
    throw new UrlSyntaxError(deviation("bad-port", 0, 0, "give a decimal number"));
  return `//${login}${host}${port}`;
}
