import { type AccessCode, AccessError } from "@anyscheme/core";
import { httpDate, type ResponseHead } from "@anyscheme/core/plugin";

/** The head of a response. */
export interface HttpResponse {
  /** The protocol version, as in `1.1`. */
  readonly version: string;
  readonly status: number;
  readonly reason: string;
  /** Values by header name in lower case. A repeated header has several values in order. Each byte is one character. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

/** Headers of the connection, not of the content. RFC 9110 §7.6.1. */
const HOP_BY_HOP_HEADERS = ["connection", "keep-alive", "transfer-encoding", "trailer", "upgrade"];
/** Headers that describe the encoded body. */
const ENCODED_BODY_HEADERS = ["content-encoding", "content-length"];

/** Returns the properties of a content resource that the headers contain. */
export function parseContentMetadata({ headers }: HttpResponse): {
  readonly mediaType: string | undefined;
  readonly modified: Date | undefined;
} {
  return {
    mediaType: headers["content-type"]?.at(-1),
    modified: httpDate(headers["last-modified"]?.at(-1)),
  };
}

/** Returns the response in the terms of the Fetch standard. A decoded body has neither its coding nor its length. */
export function toFetchResponseHead(
  { status, reason, headers }: HttpResponse,
  { isDecoded }: { readonly isDecoded: boolean },
): ResponseHead {
  const removed = new Set([...HOP_BY_HOP_HEADERS, ...(isDecoded ? ENCODED_BODY_HEADERS : [])]);
  const remaining = Object.entries(headers).filter(([name]) => !removed.has(name));
  return {
    status,
    statusText: reason,
    headers: remaining.flatMap(([name, values]) => values.map((value) => [name, value] as const)),
  };
}

/** Returns the value of a header that may be sent only once. Throws `protocol` for two different values. */
export function getSingleHeader({ headers }: HttpResponse, name: string): string | undefined {
  const values = new Set(headers[name]);
  if (values.size > 1) throw new AccessError("protocol", `the server sent several different headers ${name}`);
  return headers[name]?.[0];
}

/** Names that mean no coding. RFC 9110 §8.4.1 reserves `identity`. Some servers send `none`. */
const NO_CODING: ReadonlySet<string> = new Set(["", "identity", "none"]);

/** Returns the content codings of a response, in the order of their application. RFC 9110 §8.4. */
export function parseContentCodings({ headers }: HttpResponse): string[] {
  const names = headers["content-encoding"]?.flatMap((value) => value.toLowerCase().split(",")) ?? [];
  return names.map((name) => name.trim()).filter((name) => !NO_CODING.has(name));
}

/** Replaces control characters in a server's text by `?`, and truncates it to 200 characters. */
export function replaceControlCharacters(text: string): string {
  return text.replace(/[^\x20-\x7e\xa0-\xff]/g, "?").slice(0, 200);
}

/** Returns the status and the reason phrase, without control characters. */
export function formatStatus({ status, reason }: HttpResponse): string {
  const phrase = replaceControlCharacters(reason);
  return phrase === "" ? String(status) : `${status} ${phrase}`;
}

/** The status codes that redirect to the URL in the Location header. RFC 9110 §15.4. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The error codes of client errors. RFC 9110 §15.5; 423, 425, 429 and 451 have RFCs of their own. */
const CODES: Readonly<Record<number, AccessCode>> = {
  401: "authentication-required",
  402: "permission-denied",
  403: "permission-denied",
  404: "not-found",
  405: "unsupported",
  406: "unsupported",
  407: "authentication-required",
  408: "unavailable",
  409: "unavailable",
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

export type StatusClass = "redirect" | "content" | "partial" | "not-modified" | AccessCode;

/**
 * Classifies a final status. An unknown one counts as the `x00` of its class, and an invalid one as 500 (RFC 9110 §15).
 */
export function classifyStatus(status: number): StatusClass {
  if (REDIRECTS.has(status)) return "redirect";
  if (status === 206) return "partial";
  if (status === 304) return "not-modified";
  if (status >= 200 && status < 300) return "content";
  if (status >= 300 && status < 500) return CODES[status] ?? (status === 300 ? "unsupported" : "protocol");
  return "unavailable";
}
