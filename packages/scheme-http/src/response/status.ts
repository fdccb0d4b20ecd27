import { type AccessCode, AccessError } from "@anyscheme/core";
import { httpDate, serverText, type MessageParts } from "@anyscheme/core/plugin";
import { loginAdvice } from "../request/authentication.ts";
import type { ResponseStart } from "../connection/request-sender.ts";
import { type HttpResponse, printable, statusText } from "./response.ts";

/** The status codes of RFC 9110 §15.4 that lead to the URL in the Location field. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What a final status means to a caller. RFC 9110 §15.5, §15.6; 423, 425, 429 and 451 have RFCs of their own. */
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

/** `refer` to another URL, `content`, a `part` of it, or an error. */
export type StatusClass = "redirect" | "content" | "part" | "not-modified" | AccessCode;

/** What a status means. One that is not known means what the `x00` of its class does, and an invalid one what 500 does (RFC 9110 §15). */
export function classifyStatus(status: number): StatusClass {
  if (REDIRECTS.has(status)) return "redirect";
  if (status === 206) return "part";
  if (status === 304) return "not-modified";
  if (status >= 200 && status < 300) return "content";
  if (status >= 300 && status < 500) return CODES[status] ?? (status === 300 ? "unsupported" : "protocol");
  return "unavailable";
}

/** What can be done about a status. Those that pass with time have an advice of their own. */
const ADVICE: Readonly<Record<number, string>> = {
  407: "a proxy in between wants a login, and none is sent to proxies",
  413: "the server takes no content of that size",
  415: "the server does not take content of this media type: put has the option `mediaType`",
};

/** Statuses that may be another one when the request is sent again. */
const PASSING: ReadonlySet<number> = new Set([408, 423, 425, 429, 500, 502, 503, 504, 507]);

/** The error of a status, in the words of the server, and what can be done about it. */
export function statusError(answer: Pick<ResponseStart, "response" | "authorized">): AccessError {
  const { status, reason } = answer.response;
  const meaning = classifyStatus(status);
  const unasked =
    meaning === "redirect" || meaning === "content" || meaning === "part" || meaning === "not-modified";
  const code = unasked ? "protocol" : meaning;
  const retryAfterMs = code === "unavailable" ? retryAfterOf(answer.response) : undefined;
  return new AccessError(code, ["the server answered ", serverText(statusText(status, reason))], {
    advice: adviceOn(answer, retryAfterMs),
    retryAfterMs,
  });
}

function adviceOn(
  { response, authorized }: Pick<ResponseStart, "response" | "authorized">,
  retryAfterMs: number | undefined,
): MessageParts | undefined {
  const { status, headers } = response;
  if (status === 401) return loginAdvice(response, authorized);
  const allowed = headers["allow"]?.join(", ");
  if (status === 405 && allowed !== undefined)
    return ["the server allows ", serverText(printable(allowed) || "nothing")];
  const [wanted] = headers["upgrade"] ?? [];
  if (status === 426 && wanted !== undefined) return ["the server wants ", serverText(printable(wanted))];
  const fewer = status === 429 ? ", with fewer requests" : "";
  if (retryAfterMs !== undefined) return `try again in ${Math.ceil(retryAfterMs / 1000)} s${fewer}`;
  return PASSING.has(status) ? `try again later${fewer}` : ADVICE[status];
}

/** No server is waited for longer than a year. */
const MAX_RETRY_MS = 31_536_000_000;

/** Retry-After = HTTP-date / delay-seconds, from the time of the response on. RFC 9110 §10.2.3. */
function retryAfterOf({ headers }: HttpResponse): number | undefined {
  const value = headers["retry-after"]?.[0];
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, MAX_RETRY_MS);
  const then = httpDate(value)?.getTime();
  const now = httpDate(headers["date"]?.at(-1))?.getTime() ?? Date.now();
  return then === undefined ? undefined : Math.min(Math.max(0, then - now), MAX_RETRY_MS);
}
