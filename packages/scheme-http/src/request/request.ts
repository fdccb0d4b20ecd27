import { createHash } from "node:crypto";
import { AccessError } from "@anyscheme/core";
import type { HeaderFields } from "../options.ts";
import type { HttpUrl } from "../syntax.ts";

/** A header field, its name in lower case. */
export type Field = readonly [name: string, value: string];

/** The version in the User-Agent field: that of this package. */
const USER_AGENT = "anyscheme/0.1.0";
const NONE: readonly Field[] = [];
const ANY_TYPE: Field = ["accept", "*/*"];
const OUR_AGENT: Field = ["user-agent", USER_AGENT];

/**
 * Fields that a caller may not set: those that frame the message or speak of the connection (RFC 9110 §7.6.1, RFC 9112 §6,
 * §7, RFC 7540 §3.2.1), and those whose answer is no longer the whole resource as it is (RFC 9110 §8.4, §13, §14).
 */
const OURS: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "te",
  "trailer",
  "upgrade",
  "keep-alive",
  "http2-settings",
  "expect",
  "accept-encoding",
  "range",
  "if-range",
  "if-match",
  "if-none-match",
  "if-modified-since",
  "if-unmodified-since",
]);

/** Begins the names of fields that are meant for a proxy, of which no caller may set any; the Fetch standard forbids them too. */
const FOR_PROXIES = "proxy-";

/** Fields whose values are secrets. */
const SECRET = /authorization|cookie|token|secret|password|api-?key/;

// token = 1*tchar            RFC 9110 §5.6.2
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// field-vchar = VCHAR / obs-text, with SP and HTAB between            RFC 9110 §5.5
const unsendable = /[^\t\x20-\x7e\x80-\xff]/;

export type Method = "GET" | "HEAD" | "PUT" | "DELETE";

/** What a caller or the scheme may choose of a request. */
export interface HttpRequestInit {
  readonly method?: Method | undefined;
  readonly userAgent?: string | undefined;
  /** The content codings to ask for. Default `identity`. */
  readonly codings?: string | undefined;
  readonly headers?: HeaderFields | undefined;
  /** Whether the caller may choose the codings. */
  readonly raw?: boolean | undefined;
  /** Fields of the scheme's own. */
  readonly fields?: readonly Field[] | undefined;
}

/**
 * A request for a URL: the one place where bytes for the wire are made. The fields are given only to who asks for them by
 * name, since they may hold credentials.
 */
export class HttpRequest {
  readonly method: Method;
  /** The request target as it goes out. RFC 9112 §3.2.1. */
  readonly target: string;
  /** The host and, unless it is the scheme's default, the port. RFC 9110 §7.2. */
  readonly host: string;
  readonly #fields: readonly Field[];
  readonly #secret: readonly Field[];

  private constructor(method: Method, target: string, host: string, fields: readonly Field[]) {
    this.method = method;
    this.target = target;
    this.host = host;
    this.#fields = fields;
    this.#secret = fields.some(([name]) => SECRET.test(name))
      ? fields.filter(([name]) => SECRET.test(name))
      : NONE;
  }

  /** Throws `refused-characters` for a field that may not be sent. */
  static of(url: HttpUrl, init: HttpRequestInit = {}): HttpRequest {
    const { method = "GET", userAgent = USER_AGENT, codings = "identity", headers, fields = [] } = init;
    const given = headers ? callersFields(headers, init.raw === true) : [];
    const agent = userAgent === USER_AGENT ? OUR_AGENT : checked("user-agent", userAgent);
    const own: Field[] = [ANY_TYPE, ["accept-encoding", codings], agent];
    const ours = given.length === 0 ? own : own.filter(([name]) => !given.some(([other]) => other === name));
    return new HttpRequest(method, url.requestTarget, hostField(url), [...ours, ...fields, ...given]);
  }

  /** All fields but Host, in the order in which they are sent. */
  get fields(): readonly Field[] {
    return this.#fields;
  }

  /** The request line without the protocol's version. */
  get line(): string {
    return `${this.method} ${this.target}`;
  }

  /** The same request with other values for these fields, or with further fields. */
  with(fields: readonly Field[]): HttpRequest {
    const kept = this.#fields.filter(([name]) => !fields.some(([other]) => other === name));
    return new HttpRequest(this.method, this.target, this.host, [...kept, ...fields]);
  }

  field(name: string): string | undefined {
    return this.#fields.find(([other]) => other === name)?.[1];
  }

  /** Whether a field holds a secret: no text may show its value, nor what the server then says of it. */
  get hasSecret(): boolean {
    return this.#secret.length > 0;
  }

  /** Sets requests with credentials apart from each other, without telling them; empty without credentials. */
  get identity(): string {
    const secret = this.#secret;
    return secret.length === 0 ? "" : createHash("sha256").update(JSON.stringify(secret)).digest("base64");
  }

  /** The head of the request as it goes on the wire. RFC 9112 §2.1. */
  get bytes(): Uint8Array {
    let head = `${this.method} ${this.target} HTTP/1.1\r\nhost: ${this.host}\r\n`;
    for (const [name, value] of this.#fields) head += `${name}: ${value}\r\n`;
    return Buffer.from(`${head}\r\n`, "latin1");
  }
}

function hostField(url: HttpUrl): string {
  const host = url.effectiveHost.includes(":") ? `[${url.effectiveHost}]` : url.effectiveHost;
  const defaultPort = url.scheme === "https" ? 443 : 80;
  return url.effectivePort === defaultPort ? host : `${host}:${url.effectivePort}`;
}

function callersFields(headers: HeaderFields, raw: boolean): Field[] {
  const pairs = Symbol.iterator in headers ? headers : Object.entries(headers);
  return Array.from(pairs, ([givenName, value]) => {
    const name = givenName.toLowerCase();
    if (!token.test(name))
      throw new AccessError("refused-characters", "the name of a header field is no token");
    const forbidden = OURS.has(name) || name.startsWith(FOR_PROXIES);
    if (forbidden && !(raw && name === "accept-encoding"))
      throw new AccessError("refused-characters", `the header field ${name} cannot be set by a caller`);
    return checked(name, value);
  });
}

/** A field whose value may be sent. Throws `refused-characters`. */
export function checked(name: string, value: string): Field {
  const stray = unsendable.exec(value);
  if (!stray) return [name, value];
  const code = stray[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  throw new AccessError(
    "refused-characters",
    `the header field ${name} holds U+${code}, which cannot be sent`,
  );
}
