import { BAD_PORT, loginCharacters } from "./authority.ts";
import { invalidPartsError } from "./deviation.ts";
import { BAD_HOST, formatHost, hostForLookup, hostSource } from "./host.ts";
import { type CharacterClass, ucharPlus } from "./characters.ts";
import type { Decoded } from "./percent-encoding.ts";
import { MASK, type AlternativeHost, Url } from "./url.ts";

// `format` and `build` never leave a "?" in a login: other readers end the host there.
const writableLoginCharacters: CharacterClass = ucharPlus(";&=");

// port = digits, at most 65535; leading zeros are legal text.
const port = "0*(?:6553[0-5]|655[0-2]\\d|65[0-4]\\d\\d|6[0-4]\\d{3}|[1-5]\\d{4}|\\d{1,4})";

/** `hostport = host [ ":" port ]` as the source of a regular expression. RFC 1738 §5. */
export const hostportSource: string = `${hostSource}(?::${port})?`;

/**
 * `login = [ user [ ":" password ] "@" ] hostport` as the source of a regular expression. RFC 1738 §5. Without an
 * "@" no login is tried: nearly all that a host consists of may also stand in a user name, and would be given back one by one.
 */
export const loginSource: string = `(?:(?![^/@]*@)${hostportSource}|${loginCharacters.source}(?::${loginCharacters.source})?@${hostportSource})`;

/** A URL with the common Internet scheme syntax: `//<user>:<password>@<host>:<port>/<url-path>`. RFC 1738 §3.1. */
export abstract class InternetUrl<Name extends string = string> extends Url<Name> {
  /** The user name as written; `""` is an empty name, `undefined` none. RFC 1738 §3.1. */
  get user(): string | undefined {
    return this.authority.user;
  }

  /** The password as written; `""` is an empty password, `undefined` none. RFC 1738 §3.1. */
  get password(): string | undefined {
    return this.authority.password;
  }

  /** The host as written; `""` for a URL without one. */
  get host(): string {
    return this.authority.host;
  }

  /** The port's digits as written; `undefined` when there are none. */
  get port(): string | undefined {
    return this.authority.port;
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
  override get alternativeHosts(): readonly AlternativeHost[] {
    const { user = "", password = "" } = this;
    if (!(user + password).includes("?")) return [];
    const [host = ""] = user.split("?", 1);
    return [
      { reader: "RFC 3986", host },
      { reader: "WHATWG", host },
    ];
  }

  override components(): Readonly<Record<string, unknown>> {
    const { scheme, user, password, host, port } = this;
    return { scheme, user, password: password && MASK, host, port };
  }

  override toString(): string {
    const { href, password } = this;
    if (!password) return href;
    const { user = "", start } = this.authority;
    const mark = start + user.length + 1;
    return href.slice(0, mark) + MASK + href.slice(mark + password.length);
  }

  protected override get authorityStart(): number {
    return this.href.indexOf(":") + 3;
  }

  /** The index behind the authority: of the "/" before the url-path, or the end of the URL. */
  protected get authorityEnd(): number {
    return this.authority.end;
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

/**
 * How a writer turns a component into URL characters: `encode` for decoded parts, `conform` for a parsed URL's. A scheme that sends
 * a component as it is written names by `sent` the characters that go out as they are; default `allowed`. Where there are more
 * of them, the normal form keeps them, since their escapes ask for something else.
 */
export type Escape = (component: Decoded, allowed: CharacterClass, sent?: CharacterClass) => string;

/** Writes `//user:password@host:port`. Throws `UrlSyntaxError` for a host or port that would not be read as such. RFC 1738 §3.1. */
export function writeAuthority(parts: AuthorityParts, escape: Escape): string {
  const { user, password, port } = parts;
  const host = formatHost(parts.host);
  if (/^(?!\[.*\]$)[^]*[/?#@:]/.test(host)) throw invalidPartsError(BAD_HOST, "give the name of a host only");
  if (port !== undefined && !/^\d+$/.test(String(port)))
    throw invalidPartsError(BAD_PORT, "give a decimal number");
  const login =
    escape(user ?? "", writableLoginCharacters) +
    prefixIfPresent(":", password && escape(password, writableLoginCharacters));
  return `//${user === undefined && password === undefined ? "" : `${login}@`}${host}${prefixIfPresent(":", port)}`;
}

/** A component behind the mark that begins it; nothing when it is absent. */
export function prefixIfPresent(mark: string, component: number | string | undefined): string {
  return component === undefined ? "" : mark + component;
}
