import { AccessError } from "@anyscheme/core";
import { hashCredentials } from "@anyscheme/core/io";
import {
  isForbiddenRequestHeader,
  isHttpToken,
  type PlanOptions,
  parseHttpDate,
} from "@anyscheme/core/plugin";
import {
  createHttpHeader,
  HEADERS_WITHOUT_SECRETS,
  type HttpHeader,
  isCredentialHeader,
} from "../headers.ts";
import type { HttpHeadersInit } from "../scheme-options.ts";
import type { HttpUrl } from "../syntax.ts";

/** The default User-Agent header, with the version of this package. */
const USER_AGENT = "anyscheme/0.1.0";

/** The headers that request a part of the content or set a condition. RFC 9110 §13, §14. */
export const RANGE_AND_CONDITION_HEADERS: ReadonlySet<string> = new Set([
  "range",
  "if-range",
  "if-match",
  "if-none-match",
  "if-modified-since",
  "if-unmodified-since",
]);

/**
 * The headers that change which content the server sends. A caller may set such a header, for example Range, when the
 * client returns every response unchanged. RFC 9110 §8.4, §13, §14.
 */
const CONTENT_SELECTION_HEADERS: ReadonlySet<string> = new Set([
  "accept-encoding",
  ...RANGE_AND_CONDITION_HEADERS,
]);

export interface HttpRequestInit {
  readonly method?: string | undefined;
  readonly userAgent?: string | undefined;
  /** True to send dot segments of the path as written. Default false. */
  readonly pathAsIs?: boolean | undefined;
  /** The value of Accept-Encoding. Default `identity`. */
  readonly acceptEncoding?: string | undefined;
  /** The headers that the caller adds, or that replace default headers. */
  readonly headers?: HttpHeadersInit | undefined;
  /** The media type of the body, unless the caller sets the header `content-type`. */
  readonly mediaType?: string | undefined;
  /** True to allow the header `accept-encoding` of the caller. Default false. */
  readonly allowCallerAcceptEncoding?: boolean | undefined;
  /** True to allow all headers of the caller that change which content the server sends. Default false. */
  readonly allowCallerContentSelection?: boolean | undefined;
  /** Headers that the HTTP scheme adds and the caller may not set, such as Range. */
  readonly schemeHeaders?: readonly HttpHeader[] | undefined;
}

/**
 * An HTTP/1.1 request and its head as bytes (RFC 9112 §2.1, §3). The headers are not enumerable, since they may
 * contain credentials.
 */
export class HttpRequest {
  readonly method: string;
  /** The request target as it is sent. RFC 9112 §3.2.1. */
  readonly target: string;
  /** The Host header: the host, and the port if it differs from the default of the scheme. RFC 9110 §7.2. */
  readonly host: string;
  readonly #headers: readonly HttpHeader[];
  readonly #callerHeaders: readonly HttpHeader[];
  /** True when the cookies belong to this request, and not to all requests of the client. */
  #hasOwnCookie = false;

  private constructor(
    method: string,
    target: string,
    host: string,
    headers: readonly HttpHeader[],
    callerHeaders: readonly HttpHeader[],
  ) {
    this.method = method;
    this.target = target;
    this.host = host;
    this.#headers = headers;
    this.#callerHeaders = callerHeaders;
  }

  /** Throws `refused-characters` for a header that may not be sent. */
  static create(url: HttpUrl, init: HttpRequestInit = {}): HttpRequest {
    const { method = "GET", userAgent = USER_AGENT, acceptEncoding = "identity", schemeHeaders = [] } = init;
    const fromCaller = init.headers ? checkCallerHeaders(init.headers, init) : [];
    const defaults: HttpHeader[] = [
      ["accept", "*/*"],
      ["accept-encoding", acceptEncoding],
      createHttpHeader("user-agent", userAgent),
    ];
    if (init.mediaType !== undefined) defaults.push(createHttpHeader("content-type", init.mediaType));
    const headers = [
      ...removeReplacedHeaders(fromCaller, defaults),
      ...removeReplacedHeaders(fromCaller, schemeHeaders),
      ...fromCaller,
    ];
    const target = init.pathAsIs ? url.requestTargetAsIs : url.requestTarget;
    return new HttpRequest(method, target, createHostHeader(url), headers, fromCaller);
  }

  /** The headers of the caller, in order. */
  get callerHeaders(): readonly HttpHeader[] {
    return this.#callerHeaders;
  }

  /** All headers except Host, in the order in which the client sends them. */
  get headers(): readonly HttpHeader[] {
    return this.#headers;
  }

  /** The request line without the protocol version. */
  get requestLine(): string {
    return `${this.method} ${this.target}`;
  }

  /** Returns a copy of the request with headers added or replaced. */
  withHeaders(headers: readonly HttpHeader[]): HttpRequest {
    const all = [...removeReplacedHeaders(headers, this.#headers), ...headers];
    const copy = new HttpRequest(this.method, this.target, this.host, all, this.#callerHeaders);
    copy.#hasOwnCookie = this.#hasOwnCookie;
    return copy;
  }

  /** Returns a copy of the request without a header. The header name `name` is in lower case. */
  withoutHeader(name: string): HttpRequest {
    const others = this.#headers.filter(([other]) => other !== name);
    const copy = new HttpRequest(this.method, this.target, this.host, others, this.#callerHeaders);
    copy.#hasOwnCookie = this.#hasOwnCookie;
    return copy;
  }

  /** Returns a copy of the request with the cookies of a jar that belongs to this request. */
  withOwnCookie(header: HttpHeader): HttpRequest {
    const copy = this.withHeaders([header]);
    copy.#hasOwnCookie = true;
    return copy;
  }

  /** True when the request has an Authorization header. */
  get isAuthorized(): boolean {
    return this.#headers.some(([name]) => name === "authorization");
  }

  /**
   * True for a header whose value must not appear in errors and traces: a credential, or a header of the caller outside
   * the list of harmless headers.
   */
  isSecretHeader(header: HttpHeader): boolean {
    if (isCredentialHeader(header)) return true;
    const [name] = header;
    return !HEADERS_WITHOUT_SECRETS.has(name) && this.#callerHeaders.some(([other]) => other === name);
  }

  /** True when a header of the request may contain a secret. */
  get hasSecret(): boolean {
    return this.#headers.some((header) => this.isSecretHeader(header));
  }

  /**
   * A digest of the headers with credentials, which separates the connections of the pool. Empty without credentials.
   * The cookies of the client's jar do not separate connections, because all requests of a client use the same jar.
   * Other headers of the caller do not separate connections, because a server authenticates a connection only by its
   * credentials.
   */
  get credentialsKey(): string {
    const hasOwnCookie = this.#hasOwnCookie || this.#callerHeaders.some(([name]) => name === "cookie");
    return this.#digestHeaders(
      (header) => isCredentialHeader(header) && (hasOwnCookie || header[0] !== "cookie"),
    );
  }

  /**
   * Returns a digest of the headers that separate stored responses, or an empty text without such headers. In a shared
   * cache, every secret header separates the responses. In the cache of one user, only headers with credentials
   * separate the responses: a header such as `x-request-id` differs in each request.
   */
  createCachePartitionKey({ isShared }: { readonly isShared: boolean }): string {
    return this.#digestHeaders((header) =>
      isShared ? this.isSecretHeader(header) : isCredentialHeader(header),
    );
  }

  #digestHeaders(isIncluded: (header: HttpHeader) => boolean): string {
    const included = this.#headers.filter(isIncluded);
    return included.length === 0 ? "" : hashCredentials(included);
  }

  /** The head of the request as bytes. RFC 9112 §2.1. */
  get headBytes(): Uint8Array {
    let head = `${this.method} ${this.target} HTTP/1.1\r\nhost: ${this.host}\r\n`;
    for (const [name, value] of this.#headers) head += `${name}: ${value}\r\n`;
    return Buffer.from(`${head}\r\n`, "latin1");
  }
}

/** Returns the headers of `headers` whose names do not occur in `replaced`. */
function removeReplacedHeaders(
  replaced: readonly HttpHeader[],
  headers: readonly HttpHeader[],
): readonly HttpHeader[] {
  if (replaced.length === 0) return headers;
  return headers.filter(([name]) => !replaced.some(([other]) => other === name));
}

function createHostHeader(url: HttpUrl): string {
  const { effectiveHost, effectivePort } = url;
  const host = effectiveHost.includes(":") ? `[${effectiveHost}]` : effectiveHost;
  const defaultPort = url.scheme === "https" ? 443 : 80;
  return effectivePort === defaultPort ? host : `${host}:${effectivePort}`;
}

/** Returns the URL of a request without login and fragment. */
export function formatRequestUrlWithoutLogin({ scheme }: HttpUrl, { host, target }: HttpRequest): string {
  return `${scheme}://${host}${target}`;
}

function listPresentHeaders(headers: Readonly<Record<string, string | undefined>>): [string, string][] {
  return Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined);
}

function checkCallerHeaders(
  headers: HttpHeadersInit,
  { allowCallerAcceptEncoding, allowCallerContentSelection }: HttpRequestInit,
): HttpHeader[] {
  const pairs = Symbol.iterator in headers ? headers : listPresentHeaders(headers);
  return Array.from(pairs, ([givenName, value]) => {
    const name = givenName.toLowerCase();
    if (!isHttpToken(name))
      throw new AccessError("refused-characters", "the name of a header has a character that cannot be sent");
    const isSelectionAllowed =
      allowCallerContentSelection || (allowCallerAcceptEncoding && name === "accept-encoding");
    const isForbidden =
      isForbiddenRequestHeader(name) || (CONTENT_SELECTION_HEADERS.has(name) && !isSelectionAllowed);
    if (isForbidden) throw new AccessError("refused-characters", `the caller cannot set the header ${name}`);
    return createHttpHeader(name, value);
  });
}

// entity-tag = [ "W/" ] DQUOTE *etagc DQUOTE            RFC 9110 §8.8.3
const ENTITY_TAG_REGEXP_SOURCE = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
const ENTITY_TAG_LIST = new RegExp(
  `^(?:\\*|${ENTITY_TAG_REGEXP_SOURCE}(?:[ \\t]*,[ \\t]*${ENTITY_TAG_REGEXP_SOURCE})*)$`,
);

/**
 * Returns the headers with which the modes `no-store`, `reload` and `no-cache` ask the caches between client and server
 * for a new response. A header of the caller replaces the header of the same name that a cache mode sets.
 * <https://fetch.spec.whatwg.org/#http-network-or-cache-fetch>
 */
export function createCacheModeHeaders({ cache }: PlanOptions): HttpHeader[] {
  if (cache === "no-cache") return [["cache-control", "max-age=0"]];
  if (cache !== "no-store" && cache !== "reload") return [];
  return [
    ["pragma", "no-cache"],
    ["cache-control", "no-cache"],
  ];
}

/**
 * Returns the headers of a conditional request. RFC 9110 §13.1.2, §13.1.3. Throws `refused-characters` for an invalid
 * entity tag or date.
 */
export function createConditionHeadersFromOptions({
  ifModifiedSince,
  ifNoneMatch,
}: PlanOptions): HttpHeader[] {
  const headers: HttpHeader[] = [];
  if (ifNoneMatch !== undefined) {
    if (!ENTITY_TAG_LIST.test(ifNoneMatch)) {
      const advice = 'write an entity tag with its quotes: "\\"abc\\""';
      throw new AccessError("refused-characters", "ifNoneMatch is not a list of entity tags", { advice });
    }
    headers.push(["if-none-match", ifNoneMatch]);
  }
  if (ifModifiedSince !== undefined) {
    const date = ifModifiedSince.toUTCString();
    if (parseHttpDate(date) === undefined)
      throw new AccessError("refused-characters", "ifModifiedSince cannot be written as an HTTP date");
    headers.push(["if-modified-since", date]);
  }
  return headers;
}
