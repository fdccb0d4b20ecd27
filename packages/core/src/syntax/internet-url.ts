import { checkHost, conformHost, hostForLookup } from "./host.ts";
import { type CharacterClass, ucharAnd } from "./octets.ts";
import type { Decoded } from "./percent-encoding.ts";
import type { Reading } from "./reading.ts";
import { MASK, type OtherReading, Url } from "./url.ts";

// user = password = *[ uchar | ";" | "?" | "&" | "=" ]            RFC 1738 §5
const loginCharacters: CharacterClass = ucharAnd(";?&=");
// `format` and `build` never leave a "?" in a login: other readers end the host there.
const loginWritten: CharacterClass = ucharAnd(";&=");

/** What a scheme's production allows between "//" and the url-path. */
export interface AuthorityRules {
  readonly login: boolean;
  /** Whether a port may be written. Default true. */
  readonly port?: boolean;
  /** Whether the host may be empty. Default false. */
  readonly emptyHost?: boolean;
}

/** `//<user>:<password>@<host>:<port>` as written. RFC 1738 §3.1: four login states, so absent is `undefined` and empty is `""`. */
export interface Authority {
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly host: string;
  readonly port: string | undefined;
  /** The index behind the authority: of the "/" before the url-path, or the end. */
  readonly end: number;
}

/** Reads `//login` at the start of the scheme-specific part; `undefined` sets the reading's fault. RFC 1738 §3.1. */
export function readAuthority(reading: Reading, rules: AuthorityRules): Authority | undefined {
  const { text, start } = reading;
  if (!text.startsWith("//", start)) {
    reading.refuse("missing-slashes", start, 0, 'write "//" after the colon');
    return undefined;
  }
  const from = start + 2;
  const slash = text.indexOf("/", from);
  const end = slash < 0 || slash > reading.end ? reading.end : slash;
  const at = text.lastIndexOf("@", end - 1);
  const login = at < from ? {} : readLogin(reading, from, at, rules);
  if (!login) return undefined;
  const hostport = readHostport(reading, at < from ? from : at + 1, end, rules);
  return hostport && { user: login.user, password: login.password, ...hostport, end };
}

interface Login {
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}

function readLogin(reading: Reading, from: number, at: number, rules: AuthorityRules): Login | undefined {
  const { text } = reading;
  if (!rules.login) {
    const advice = "leave the login out and give credentials as an option";
    reading.refuse("login-not-allowed", from, at + 1 - from, advice);
    return undefined;
  }
  const firstAt = text.indexOf("@", from);
  if (firstAt < at) {
    reading.refuse("at-sign", firstAt, 1, 'write "%40"');
    return undefined;
  }
  const colon = text.indexOf(":", from);
  const userEnd = colon < 0 || colon > at ? at : colon;
  const tolerance = { national: false };
  if (!reading.check(from, userEnd, loginCharacters, tolerance)) return undefined;
  if (userEnd === at) return { user: text.slice(from, at) };
  if (!reading.check(userEnd + 1, at, loginCharacters, tolerance)) return undefined;
  return { user: text.slice(from, userEnd), password: text.slice(userEnd + 1, at) };
}

function readHostport(
  reading: Reading,
  from: number,
  end: number,
  rules: AuthorityRules,
): { host: string; port: string | undefined } | undefined {
  const { text } = reading;
  const bracket = text.startsWith("[", from) ? text.indexOf("]", from) : -1;
  const colon = text.indexOf(":", bracket > 0 && bracket < end ? bracket : from);
  const hostEnd = colon < 0 || colon > end ? end : colon;
  const host = text.slice(from, hostEnd);
  const mayBeEmpty = rules.emptyHost === true && hostEnd === end;
  if (!(host === "" && mayBeEmpty) && !checkHost(reading, from, hostEnd)) return undefined;
  if (hostEnd === end) return { host, port: undefined };
  const port = readPort(reading, hostEnd, end, rules);
  return port === false ? undefined : { host, port };
}

// port = digits; leading zeros are legal text, and so is 0, which the guard refuses.
function readPort(
  reading: Reading,
  colon: number,
  end: number,
  rules: AuthorityRules,
): string | undefined | false {
  const digits = reading.text.slice(colon + 1, end);
  const length = end - colon;
  if (rules.port === false) return reading.refuse("port-not-allowed", colon, length, "leave the port out");
  if (digits === "") return reading.depart("empty-port", colon, 1, "leave the colon out") && undefined;
  const stray = /[^0-9]/.exec(digits);
  if (stray) return reading.refuse("bad-port", colon + 1 + stray.index, 1, "write decimal digits only");
  if (Number(digits) > 65535)
    return reading.refuse("port-range", colon + 1, digits.length, "write a number up to 65535");
  return digits;
}

/** A URL with the common Internet scheme syntax. RFC 1738 §3.1. */
export abstract class InternetUrl<Name extends string = string> extends Url<Name> {
  readonly #user: string | undefined;
  readonly #password: string | undefined;
  readonly #host: string;
  readonly #port: string | undefined;
  readonly #defaultPort: number | undefined;

  constructor(reading: Reading, authority: Authority, defaultPort: number | undefined) {
    super(reading);
    this.#user = authority.user;
    this.#password = authority.password;
    this.#host = authority.host;
    this.#port = authority.port;
    this.#defaultPort = defaultPort;
  }

  /** The user name as written; `""` is an empty name, `undefined` none. RFC 1738 §3.1. */
  get user(): string | undefined {
    return this.#user;
  }

  /** The password as written; `""` is an empty password, `undefined` none. Not enumerable. RFC 1738 §3.1. */
  get password(): string | undefined {
    return this.#password;
  }

  get host(): string {
    return this.#host;
  }

  /** The port's digits as written; `undefined` when there is none. */
  get port(): string | undefined {
    return this.#port;
  }

  /** The port to connect to: the one written, or the scheme's default. 0 when there is neither. */
  get effectivePort(): number {
    return this.#port === undefined ? (this.#defaultPort ?? 0) : Number(this.#port);
  }

  /** The host as a resolver takes it: lower case, US-ASCII, an IPv6 address without brackets. */
  get effectiveHost(): string {
    return hostForLookup(this.#host);
  }

  /** A "?" in the login ends the host for readers of later standards. */
  override get readings(): readonly OtherReading[] {
    const login = this.#user === undefined ? "" : `${this.#user}:${this.#password ?? ""}`;
    const mark = login.indexOf("?");
    if (mark < 0) return [];
    const host = login.slice(0, mark).replace(/:.*$/, "");
    return [
      { reader: "RFC 3986", host },
      { reader: "WHATWG", host },
    ];
  }

  override components(): Readonly<Record<string, unknown>> {
    const password = this.#password && MASK;
    return { scheme: this.scheme, user: this.#user, password, host: this.#host, port: this.#port };
  }

  override toString(): string {
    if (!this.#password) return this.href;
    const start = this.scheme.length + 3 + (this.#user ?? "").length + 1;
    return this.href.slice(0, start) + MASK + this.href.slice(start + this.#password.length);
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

/** Writes `//user:password@host:port`. RFC 1738 §3.1. */
export function writeAuthority(parts: AuthorityParts, escape: Escape): string {
  const password = parts.password === undefined ? "" : `:${escape(parts.password, loginWritten)}`;
  const user = parts.user === undefined ? "" : escape(parts.user, loginWritten);
  const login = parts.user === undefined && parts.password === undefined ? "" : `${user}${password}@`;
  const port = parts.port === undefined ? "" : `:${parts.port}`;
  return `//${login}${conformHost(parts.host)}${port}`;
}
