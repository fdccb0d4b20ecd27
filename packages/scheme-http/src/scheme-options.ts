import type { CoreLimits } from "@anyscheme/core";
import {
  type OptionTable,
  type OptionKind,
  booleanOptionKind,
  certificatesOptionKind,
  millisecondsOptionKind,
  createEnumOptionKind,
  httpMethodOptionKind,
  stringOptionKind,
} from "@anyscheme/core/plugin";
import type { HttpRequestBody } from "./request/request-body.ts";

/** Options of the http scheme. */
export interface HttpOptions {
  /** The User-Agent header. Default `anyscheme/<version>`. RFC 9110 §10.1.5. */
  readonly userAgent?: string | undefined;
  /**
   * The time after which the client closes an idle connection, in milliseconds. 0: the client reuses no connection.
   * Default 4000, because Node's HTTP servers close an idle connection after 5 s. RFC 9112 §9.5.
   */
  readonly keepAliveTimeoutMs?: number | undefined;
}

/** Options of the https scheme. */
export interface HttpsOptions extends HttpOptions {
  /** Trusted certificates in PEM, in place of the built-in certificates. Certificates are always verified. */
  readonly ca?: string | readonly string[] | undefined;
  /**
   * The client certificate and its chain, in PEM. The client sends the certificate neither after a redirect to another
   * origin nor outside the origin of the base URL of an extended client. Default: none.
   */
  readonly cert?: string | undefined;
  /** The private key of `cert`, in PEM. */
  readonly key?: string | undefined;
  /** The password that decrypts the private key `key`. */
  readonly passphrase?: string | undefined;
}

/**
 * Options of one request to an http or https URL. After a redirect to another origin, the client sends only headers
 * that describe the content or the client, such as `accept` and `content-type`.
 */
export interface HttpRequestOptions {
  /**
   * The method, as in `POST`. Default `GET`. CONNECT, TRACE and TRACK are not sent. A 303 response, and a 301 or 302
   * response to a POST, are followed with GET. RFC 9110 §9.
   */
  readonly method?: string | undefined;
  /**
   * The body of the request, for a method other than GET and HEAD. A body of unknown length is sent in chunks. The
   * header `content-type` follows from the kind of the body. After a 307 or 308 response, the client sends the body
   * again, also to another origin. The client cannot send a stream or an iterable again: a redirect that repeats the
   * body throws `refused-redirect`. RFC 9110 §6.4.
   */
  readonly body?: HttpRequestBody | null | undefined;
  /**
   * Adds request headers, or replaces `accept` and `user-agent`. Throws `refused-characters` for an invalid name or
   * value, and for a header that frames the message or controls the connection. A header that requests a part or
   * depends on a condition, such as `range` or `if-match`, needs `throwHttpErrors: false`.
   */
  readonly headers?: HttpHeadersInit | undefined;
  /**
   * Decodes gzip, deflate, br and zstd bodies (RFC 9110 §8.4). Default true. `decompress: false` returns the body as
   * sent by the server, and allows the header `accept-encoding`.
   */
  readonly decompress?: boolean | undefined;
  /**
   * Throws an `AccessError` for a 4xx or 5xx response. Default true. `throwHttpErrors: false` returns every response as
   * content, also a 304 response and a redirect without a `Location`.
   */
  readonly throwHttpErrors?: boolean | undefined;
  /**
   * `"error"` throws `refused-redirect` for a redirect. `"manual"` returns a 3xx response as content. Default
   * `"follow"`.
   */
  readonly redirect?: "follow" | "error" | "manual" | undefined;
  /**
   * Sends the path with its dot segments, as `/a/../b`. Default false: for `/a/../b`, the client sends `/b`, as
   * browsers do. The mode `rfc1738` always sends dot segments.
   */
  readonly pathAsIs?: boolean | undefined;
  /**
   * Sends the login of the URL, or else the answer of `credentials`, with the first request and the scheme Basic (RFC
   * 7617 §2.2). Default false: the client sends credentials only after a 401 response. Preemptive credentials save a
   * round trip, but the server receives the password without a request for it. If the server offers Digest and not
   * Basic, the client repeats the request with Digest. After a redirect to another origin, the client sends no
   * preemptive credentials.
   */
  readonly preemptive?: boolean | undefined;
}

/**
 * The headers of a request, by name or as pairs of name and value. The option `headers` also accepts a `Headers` object
 * and a `Map`. The value `undefined` removes a header that an extended client has set.
 */
export type HttpHeadersInit =
  // With the compiler option lib "DOM" and without "DOM.Iterable", a Headers object is no iterable.
  Headers | Readonly<Record<string, string | undefined>> | Iterable<readonly [name: string, value: string]>;

export const HTTP_SCHEME_OPTION_KINDS: OptionTable<HttpOptions> = {
  userAgent: stringOptionKind,
  keepAliveTimeoutMs: millisecondsOptionKind,
};

export const HTTPS_SCHEME_OPTION_KINDS: OptionTable<HttpsOptions> = {
  ...HTTP_SCHEME_OPTION_KINDS,
  ca: certificatesOptionKind,
  cert: stringOptionKind,
  key: stringOptionKind,
  passphrase: stringOptionKind,
};

const headersOption: OptionKind = {
  expects: "an object of strings, a Headers object, or an iterable of pairs of name and value",
  accepts: (value) =>
    typeof value === "object" &&
    value !== null &&
    // The option check does not iterate over the header pairs, since some iterables can be read only once.
    (Symbol.iterator in value ||
      Object.values(value).every((each) => each === undefined || typeof each === "string")),
};

export const HTTP_REQUEST_OPTION_KINDS: OptionTable<HttpRequestOptions> = {
  method: httpMethodOptionKind,
  body: {
    expects:
      "a string, bytes, a Blob, FormData, URLSearchParams, a ReadableStream, or an iterable of Uint8Array",
    accepts: (value) =>
      value === null ||
      typeof value === "string" ||
      (typeof value === "object" &&
        (ArrayBuffer.isView(value) ||
          [ArrayBuffer, SharedArrayBuffer, Blob].some((type) => value instanceof type) ||
          Symbol.asyncIterator in value ||
          Symbol.iterator in value)),
  },
  headers: headersOption,
  decompress: booleanOptionKind,
  throwHttpErrors: booleanOptionKind,
  redirect: createEnumOptionKind("follow", "error", "manual"),
  pathAsIs: booleanOptionKind,
  preemptive: booleanOptionKind,
};

/** The limits of a client that supports http URLs. */
export interface HttpLimits extends CoreLimits {
  /** The maximum number of interim (1xx) responses before the final response. Default 10. */
  readonly maxInterimResponses: number;
  /** The maximum number of content codings of a response. Default 2. */
  readonly maxContentCodings: number;
  /** The maximum average number of decoded bytes per encoded byte, after the first decoded MiB. Default 200. */
  readonly maxDecodedRatio: number;
  /**
   * The maximum number of consecutive bytes of a response that contain no content, such as interim responses, chunk
   * sizes and extensions, and compressed data with empty output. Default 1 MiB.
   */
  readonly maxBytesWithoutContent: number;
}

declare module "@anyscheme/core" {
  interface ClientLimits extends HttpLimits {}
}

export const DEFAULT_HTTP_LIMITS: Readonly<Record<Exclude<keyof HttpLimits, keyof CoreLimits>, number>> = {
  maxInterimResponses: 10,
  maxContentCodings: 2,
  maxDecodedRatio: 200,
  maxBytesWithoutContent: 1_048_576,
};
