import { AccessError } from "@anyscheme/core";
import type { HeaderFields } from "./options.ts";
import type { HttpUrl } from "./syntax.ts";

/** A header field, its name in lower case. */
export type Field = readonly [name: string, value: string];

/** The version in the User-Agent field: that of this package. */
const USER_AGENT = "anyscheme/0.1.0";

/**
 * Fields that a caller may not set: those that frame the message or speak of the connection (RFC 9110 §7.6.1, RFC 9112 §6,
 * §7), and those whose answer is no longer the whole resource as it is (RFC 9110 §8.4, §13, §14).
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
  "proxy-connection",
  "proxy-authorization",
  "expect",
  "accept-encoding",
  "range",
  "if-range",
  "if-match",
  "if-none-match",
  "if-modified-since",
  "if-unmodified-since",
]);

/** Fields whose values are masked in every text. */
const SECRET: ReadonlySet<string> = new Set(["authorization", "cookie"]);

// token = 1*tchar            RFC 9110 §5.6.2
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// field-vchar = VCHAR / obs-text, with SP and HTAB between            RFC 9110 §5.5
const unsendable = /[^\t\x20-\x7e\x80-\xff]/;

/** What a caller or the scheme may choose of a request. */
export interface RequestInit {
  readonly userAgent?: string | undefined;
  readonly headers?: HeaderFields | undefined;
}

/**
 * A request for a URL. The octets of the plan and the arguments for undici both come from here, so that they cannot differ.
 * The fields are given only to who asks for them by name, since they may hold credentials.
 */
export class HttpRequest {
  readonly method = "GET";
  /** The request target as it goes out. RFC 9112 §3.2.1. */
  readonly target: string;
  /** The host and, unless it is the scheme's default, the port. RFC 9110 §7.2. */
  readonly host: string;
  readonly #fields: readonly Field[];

  /** Throws `refused-octets` for a field that may not be sent. */
  constructor(url: HttpUrl, { userAgent = USER_AGENT, headers = [] }: RequestInit = {}) {
    this.target = url.requestTarget;
    this.host = hostField(url);
    const given = [...(Symbol.iterator in headers ? headers : Object.entries(headers))].map(callersField);
    const own = [
      ["accept", "*/*"],
      ["accept-encoding", "identity"],
      checked("user-agent", userAgent),
    ] as const;
    this.#fields = [...own.filter(([name]) => !given.some(([other]) => other === name)), ...given];
    Object.freeze(this);
  }

  /** All fields but Host and Connection, in the order in which they are sent. */
  get fields(): readonly Field[] {
    return this.#fields;
  }

  /** The values that no text may show, for an echo of the server as well. */
  get secrets(): readonly string[] {
    const values = this.#fields.filter(([name]) => SECRET.has(name)).map(([, value]) => value);
    return values.flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)]);
  }

  /** The head of the request as it goes on the wire. RFC 9112 §2.1. */
  get octets(): Uint8Array {
    // One request on one connection: the server is told that none follows.
    const fields: readonly Field[] = [["host", this.host], ["connection", "close"], ...this.#fields];
    const lines = [
      `${this.method} ${this.target} HTTP/1.1`,
      ...fields.map(([name, value]) => `${name}: ${value}`),
    ];
    return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  }
}

function hostField(url: HttpUrl): string {
  const host = url.effectiveHost.includes(":") ? `[${url.effectiveHost}]` : url.effectiveHost;
  const defaultPort = url.scheme === "https" ? 443 : 80;
  return url.effectivePort === defaultPort ? host : `${host}:${url.effectivePort}`;
}

function callersField([givenName, value]: readonly [string, string]): Field {
  const name = givenName.toLowerCase();
  if (!token.test(name)) throw new AccessError("refused-octets", "the name of a header field is no token");
  if (OURS.has(name))
    throw new AccessError("refused-octets", `the header field ${name} cannot be set by a caller`);
  return checked(name, value);
}

function checked(name: string, value: string): Field {
  const stray = unsendable.exec(value);
  if (!stray) return [name, value];
  const code = stray[0].codePointAt(0) ?? 0;
  const octet = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  throw new AccessError("refused-octets", `the header field ${name} holds ${octet}, which cannot be sent`);
}
