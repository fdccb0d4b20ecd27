import { type AccessErrorCode, AccessError } from "@anyscheme/core";
import { parseHttpDate, type ResponseHead } from "@anyscheme/core/plugin";
import type { HttpHeader } from "../headers.ts";

/** The head of an HTTP response. */
export interface HttpResponseHead {
  /** The protocol version, as in `1.1`. */
  readonly version: string;
  readonly status: number;
  readonly reason: string;
  /** Lists of values by header name in lower case. Each character of a header value represents one byte. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

/** The headers that describe the connection and not the content. RFC 9110 §7.6.1. */
const HOP_BY_HOP_HEADERS = ["connection", "keep-alive", "transfer-encoding", "trailer", "upgrade"];
/** The headers that do not apply to a decoded body. */
const ENCODED_BODY_HEADERS = ["content-encoding", "content-length"];

/** Returns the media type and the date of modification from the headers. */
export function parseContentTypeAndLastModified({ headers }: HttpResponseHead): {
  readonly mediaType: string | undefined;
  readonly modified: Date | undefined;
} {
  return {
    mediaType: headers["content-type"]?.at(-1),
    modified: parseHttpDate(headers["last-modified"]?.at(-1)),
  };
}

/**
 * Returns the status and headers for a `Response` of the Fetch standard. `?` replaces the control characters of the
 * reason phrase, which the standard does not allow.
 */
export function toFetchResponseHead(
  { status, reason, headers }: HttpResponseHead,
  { isDecoded }: { readonly isDecoded: boolean },
): ResponseHead {
  const removed = new Set([...HOP_BY_HOP_HEADERS, ...(isDecoded ? ENCODED_BODY_HEADERS : [])]);
  return {
    status,
    statusText: reason.replace(/[^\t\x20-\x7e\x80-\xff]/g, "?"),
    headers: listResponseHeaderPairs({ headers }).filter(([name]) => !removed.has(name)),
  };
}

/** Returns the headers of a response as pairs of name and value. A header with several values has several pairs. */
export function listResponseHeaderPairs({ headers }: Pick<HttpResponseHead, "headers">): HttpHeader[] {
  return Object.entries(headers).flatMap(([name, values]) => values.map((value) => [name, value] as const));
}

/** Returns the value of a header. Throws `protocol` for a header with two different values. */
export function getSingleHeader({ headers }: HttpResponseHead, name: string): string | undefined {
  const values = new Set(headers[name]);
  if (values.size > 1) throw new AccessError("protocol", `the server sent several different headers ${name}`);
  return headers[name]?.[0];
}

/** The values of Content-Encoding that mean a body without content coding. Some servers send `none`. */
const IDENTITY_CODINGS: ReadonlySet<string> = new Set(["", "identity", "none"]);

/** Returns the content codings of a response, in the order in which the server applied them. RFC 9110 §8.4. */
export function parseContentCodings({ headers }: HttpResponseHead): string[] {
  const names = headers["content-encoding"]?.flatMap((value) => value.toLowerCase().split(",")) ?? [];
  return names.map((name) => name.trim()).filter((name) => !IDENTITY_CODINGS.has(name));
}

/** Replaces control characters in a server's text by `?`, and truncates it to 200 characters. */
export function sanitizeServerText(text: string): string {
  return text.replace(/[^\x20-\x7e\xa0-\xff]/g, "?").slice(0, 200);
}

/** Returns the status and the reason phrase, without control characters. */
export function formatStatus({ status, reason }: HttpResponseHead): string {
  const phrase = sanitizeServerText(reason);
  return phrase === "" ? String(status) : `${status} ${phrase}`;
}

/** The status codes that redirect to the URL in the Location header. RFC 9110 §15.4. */
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The error code of an `AccessError` by 4xx status. Other 4xx statuses mean `rejected`. RFC 9110 §15.5, RFC 4918, RFC
 * 8470, RFC 6585, RFC 7725.
 */
const ACCESS_CODE_BY_STATUS: Readonly<Record<number, AccessErrorCode>> = {
  401: "authentication-required",
  402: "permission-denied",
  403: "permission-denied",
  404: "not-found",
  405: "unsupported",
  406: "unsupported",
  407: "authentication-required",
  408: "unavailable",
  410: "not-found",
  413: "permission-denied",
  415: "unsupported",
  416: "out-of-range",
  423: "unavailable",
  425: "unavailable",
  426: "unsupported",
  429: "unavailable",
  451: "permission-denied",
};

export type ResponseStatusClassification =
  "redirect" | "content" | "partial" | "not-modified" | AccessErrorCode;

/**
 * Classifies the status of a final response. An unknown status counts as the status `x00` of its class, and an invalid
 * status as 500 (RFC 9110 §15).
 */
export function classifyResponseStatus(status: number): ResponseStatusClassification {
  if (REDIRECT_STATUSES.has(status)) return "redirect";
  if (status === 206) return "partial";
  if (status === 304) return "not-modified";
  if (status >= 200 && status < 300) return "content";
  if (status >= 300 && status < 400) return "unsupported";
  if (status >= 400 && status < 500) return ACCESS_CODE_BY_STATUS[status] ?? "rejected";
  return "unavailable";
}
