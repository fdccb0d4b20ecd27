import {
  type AuthorityComponents,
  PORT_NOT_DECIMAL_FAULT,
  loginCharacters,
  splitAuthority,
} from "./authority.ts";
import { createInvalidPartsError } from "./faults/syntax-fault.ts";
import { INVALID_HOST_FAULT, formatHostAsAscii, hostForLookup, hostRegExpSource } from "./host.ts";
import { type CharacterClass, type AllowedCharacters, extendUchar } from "./characters/characters.ts";
import type { TextOrBytes } from "./characters/percent-encoding.ts";
import { findParserDifferences, type ParserDifference } from "./faults/parser-differences.ts";
import { getAuthorityComponents, PASSWORD_MASK, Url } from "./url.ts";

// `format` and `build` escape a "?" in a login, because other parsers end the host there.
const writableLoginCharacters: CharacterClass = extendUchar(";&=");

// port = digits, at most 65535. Leading zeros conform.
const port = "0*(?:6553[0-5]|655[0-2]\\d|65[0-4]\\d\\d|6[0-4]\\d{3}|[1-5]\\d{4}|\\d{1,4})";

/** `hostport = host [ ":" port ]` as the source of a regular expression. RFC 1738 §5. */
export const hostportRegExpSource: string = `${hostRegExpSource}(?::${port})?`;

/**
 * `login = [ user [ ":" password ] "@" ] hostport` as the source of a regular expression. RFC 1738 §5. The expression
 * tries to match a user name only before an "@". Without this condition, a host would first match as a user name and
 * cause backtracking.
 */
export const authorityRegExpSource: string = `(?:(?![^/@]*@)${hostportRegExpSource}|${loginCharacters.source}(?::${loginCharacters.source})?@${hostportRegExpSource})`;

/** A URL with the common Internet scheme syntax: `//<user>:<password>@<host>:<port>/<url-path>`. RFC 1738 §3.1. */
export abstract class InternetUrl<Name extends string = string> extends Url<Name> {
  /** The user name as written. `""` is an empty user name, and `undefined` is no user name. RFC 1738 §3.1. */
  get user(): string | undefined {
    return getAuthorityComponents(this).user;
  }

  /** The password as written. `""` is an empty password, and `undefined` is no password. RFC 1738 §3.1. */
  get password(): string | undefined {
    return getAuthorityComponents(this).password;
  }

  /** The host as written. `""` for a URL without a host. */
  get host(): string {
    return getAuthorityComponents(this).host;
  }

  /** The digits of the port as written, or `undefined` without digits. */
  get port(): string | undefined {
    return getAuthorityComponents(this).port;
  }

  /** The default port of the scheme. */
  protected get defaultPort(): number | undefined {
    return undefined;
  }

  /** The port to connect to: the written port, else the scheme's default, else 0. */
  get effectivePort(): number {
    return Number(this.port ?? this.defaultPort ?? 0);
  }

  /** The host in the form that resolvers accept: lower case, US-ASCII, an IPv6 address without brackets. */
  get effectiveHost(): string {
    return hostForLookup(this.host);
  }

  override get parserDifferences(): readonly ParserDifference[] {
    return findParserDifferences(this, this.defaultPort);
  }

  override components(): Readonly<Record<string, unknown>> {
    const { scheme, user, password, host, port } = this;
    return { scheme, user, password: password && PASSWORD_MASK, host, port };
  }

  override toString(): string {
    const { href, password } = this;
    if (!password) return href;
    const { user = "", start } = getAuthorityComponents(this);
    const mark = start + user.length + 1;
    return href.slice(0, mark) + PASSWORD_MASK + href.slice(mark + password.length);
  }

  protected override splitAuthority(text: string, end: number): AuthorityComponents {
    return splitAuthority(text, text.indexOf(":") + 3, end);
  }

  /** The index of the "/" or "?" that ends the authority, or the end of the URL. -1 without an authority. */
  protected get authorityEnd(): number {
    return getAuthorityComponents(this).end;
  }

  /**
   * The text after the "/" that follows the authority. `undefined` when no "/" follows the authority. RFC 1738 §3.1.
   */
  protected get pathText(): string | undefined {
    const { urlText: text, end, urlEnd } = getAuthorityComponents(this);
    return end < urlEnd ? text.slice(end + 1, urlEnd) : undefined;
  }
}

/** The decoded login and host of a URL, for `build`. */
export interface AuthorityBuildParts {
  readonly user?: TextOrBytes | undefined;
  readonly password?: TextOrBytes | undefined;
  readonly host: string;
  readonly port?: number | string | undefined;
}

/**
 * Writes a component of a URL, and percent-encodes the characters that it must not contain. `percentEncode` is for
 * decoded parts, and `escapeDisallowed` is for parts of a parsed URL. `sent` is the class of characters that the scheme
 * sends unescaped. Default `allowed`. The normal form does not escape characters of `sent`, because their escapes would
 * request something else.
 */
export type ComponentEscaper = (
  component: TextOrBytes,
  allowed: CharacterClass,
  sent?: AllowedCharacters,
) => string;

/** Writes `//user:password@host:port`. Throws `UrlSyntaxError` for an invalid host or port. RFC 1738 §3.1. */
export function writeAuthority(parts: AuthorityBuildParts, escape: ComponentEscaper): string {
  const { user, password, port } = parts;
  const host = formatHostAsAscii(parts.host);
  if (/^(?!\[.*\]$)[^]*[/?#@:]/.test(host))
    throw createInvalidPartsError(INVALID_HOST_FAULT, "write only the name of a host");
  if (port !== undefined && !/^\d+$/.test(String(port)))
    throw createInvalidPartsError(PORT_NOT_DECIMAL_FAULT, "write a decimal number");
  const login =
    escape(user ?? "", writableLoginCharacters) +
    prefixIfDefined(":", password && escape(password, writableLoginCharacters));
  return `//${user === undefined && password === undefined ? "" : `${login}@`}${host}${prefixIfDefined(":", port)}`;
}

/** Returns the delimiter `mark` and the component, or `""` for an absent component. */
export function prefixIfDefined(mark: string, component: number | string | undefined): string {
  return component === undefined ? "" : mark + component;
}
