// The syntax of HTTP requests, which `fetch` and the http scheme share. RFC 9110 §5, §9.
import type { OptionKind } from "../options/option-kinds.ts";

/** The source of a regular expression that matches an HTTP token. RFC 9110 §5.6.2. */
export const HTTP_TOKEN_REGEXP_SOURCE = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

const HTTP_TOKEN = new RegExp(`^${HTTP_TOKEN_REGEXP_SOURCE}$`);

/** True for a text that is a token by RFC 9110 §5.6.2, such as the name of a header. */
export function isHttpToken(text: string): boolean {
  return HTTP_TOKEN.test(text);
}

/** Returns the first character that a header value may not have, or `undefined` for a valid value. RFC 9110 §5.5. */
export function getFirstInvalidHeaderCharacter(value: string): string | undefined {
  return /[^\t\x20-\x7e\x80-\xff]/.exec(value)?.[0];
}

/**
 * The headers that a caller may not set, because they frame the message or control the connection. RFC 9110 §7.6.1,
 * RFC 9112 §6, §7, RFC 7540 §3.2.1.
 */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * True for a header that a caller may not set: it frames the message, controls the connection or belongs to proxies.
 * `name` is a header name in lower case. <https://fetch.spec.whatwg.org/#forbidden-request-header>
 */
export function isForbiddenRequestHeader(name: string): boolean {
  return CONNECTION_HEADERS.has(name) || name.startsWith("proxy-");
}

/** The HTTP methods whose names the Fetch standard converts to upper case. */
const NORMALIZED_METHODS: ReadonlySet<string> = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"]);

/**
 * Returns a method, in upper case if it is one of the usual methods.
 * <https://fetch.spec.whatwg.org/#concept-method-normalize>
 */
export function normalizeHttpMethod(method: string): string {
  const upperCase = method.toUpperCase();
  return NORMALIZED_METHODS.has(upperCase) ? upperCase : method;
}

/**
 * The HTTP methods that the Fetch standard forbids. CONNECT opens a tunnel, and the response to TRACE contains the
 * request with its secrets. <https://fetch.spec.whatwg.org/#forbidden-method>
 */
const FORBIDDEN_METHODS: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);

/** The kind of an HTTP method that the client can send. */
export const httpMethodOptionKind: OptionKind = {
  expects: "an HTTP method other than CONNECT, TRACE and TRACK",
  accepts: (value) =>
    typeof value === "string" && isHttpToken(value) && !FORBIDDEN_METHODS.has(value.toUpperCase()),
  messagesMayShowValue: true,
};
