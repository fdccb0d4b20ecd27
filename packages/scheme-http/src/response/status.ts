import { type AccessCode, AccessError } from "@anyscheme/core";
import { httpDate, serverText, type MessageParts } from "@anyscheme/core/plugin";
import { loginAdvice } from "../request/authentication.ts";
import type { PendingResponse } from "../connection/request-sender.ts";
import { type HttpResponse, printable, statusText } from "./response.ts";

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

/** Advice about statuses that do not change with time. */
const ADVICE: Readonly<Record<number, string>> = {
  407: "a proxy requires a login, and the client sends none to proxies",
  413: "the server does not accept content of that size",
  415: "the server does not accept this media type: set the option `mediaType` of put",
};

/** Statuses that may change when the request is repeated. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 423, 425, 429, 500, 502, 503, 504, 507]);

/** Returns the error of a status, with the reason phrase of the server and advice. */
export function statusError(pending: Pick<PendingResponse, "response" | "isAuthorized">): AccessError {
  const { response } = pending;
  const statusClass = classifyStatus(response.status);
  const code = isError(statusClass) ? statusClass : "protocol";
  const retryAfterMs = code === "unavailable" ? parseRetryAfter(response) : undefined;
  return new AccessError(
    code,
    ["the server answered ", serverText(statusText(response.status, response.reason))],
    {
      advice: adviceFor(pending, retryAfterMs),
      retryAfterMs,
    },
  );
}

function isError(statusClass: StatusClass): statusClass is AccessCode {
  return !["redirect", "content", "partial", "not-modified"].includes(statusClass);
}

function adviceFor(
  { response, isAuthorized }: Pick<PendingResponse, "response" | "isAuthorized">,
  retryAfterMs: number | undefined,
): MessageParts | undefined {
  const { status, headers } = response;
  if (status === 401) return loginAdvice(response, isAuthorized);
  const allowed = headers["allow"]?.join(", ");
  if (status === 405 && allowed !== undefined)
    return ["the server allows ", serverText(printable(allowed) || "nothing")];
  const [required] = headers["upgrade"] ?? [];
  if (status === 426 && required !== undefined)
    return ["the server requires ", serverText(printable(required))];
  const fewer = status === 429 ? ", with fewer requests" : "";
  if (retryAfterMs !== undefined) return `try again in ${Math.ceil(retryAfterMs / 1000)} s${fewer}`;
  return TEMPORARY.has(status) ? `try again later${fewer}` : ADVICE[status];
}

/** The longest accepted Retry-After: one year. */
const MAX_RETRY_AFTER_MS = 31_536_000_000;

/** Parses `Retry-After = HTTP-date / delay-seconds`, relative to the Date of the response. RFC 9110 §10.2.3. */
function parseRetryAfter({ headers }: HttpResponse): number | undefined {
  const value = headers["retry-after"]?.[0];
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, MAX_RETRY_AFTER_MS);
  const then = httpDate(value)?.getTime();
  const now = httpDate(headers["date"]?.at(-1))?.getTime() ?? Date.now();
  return then === undefined ? undefined : Math.min(Math.max(0, then - now), MAX_RETRY_AFTER_MS);
}
