import { type AccessErrorCode, AccessError } from "@anyscheme/core";
import { parseRetryAfter, createServerText, type ErrorMessageParts } from "@anyscheme/core/plugin";
import type { HttpResponseReader } from "../connection/exchange.ts";
import { createLoginAdvice } from "../request/authentication.ts";
import {
  classifyStatus,
  type HttpResponse,
  replaceControlCharacters,
  type HttpStatusClass,
  formatStatus,
} from "./response.ts";

/** The error advice for each HTTP status that a repeated request would receive again. */
const ADVICE_BY_STATUS: Readonly<Record<number, string>> = {
  407: "a proxy requires a login, and the client sends no login to proxies",
  413: "the server does not accept content of that size",
  415: "the server does not accept this media type: set the option `mediaType` of put",
};

/** The HTTP statuses whose error advises to repeat the request later. */
const TEMPORARY_ERROR_STATUSES: ReadonlySet<number> = new Set([408, 423, 425, 429, 500, 502, 503, 504, 507]);

/** Returns the error of an unsuccessful response, with the reason phrase of the server and advice. */
export function createStatusError({ request, response }: HttpResponseReader): AccessError {
  const statusClass = classifyStatus(response.status);
  const code = isErrorStatusClass(statusClass) ? statusClass : "protocol";
  const retryAfterMs =
    code === "unavailable"
      ? parseRetryAfter(response.headers["retry-after"]?.[0], response.headers["date"]?.at(-1))
      : undefined;
  const advice =
    response.status === 401
      ? createLoginAdvice(response, request.isAuthorized)
      : createStatusAdvice(response, retryAfterMs);
  const reason = ["the server answered ", createServerText(formatStatus(response))];
  return new AccessError(code, reason, { advice, retryAfterMs, status: response.status });
}

/** Returns the error of a 401 response to a body that the client cannot send again. Discards the response. */
export function createCredentialsAfterBodyError(exchange: HttpResponseReader): AccessError {
  exchange.discardBody();
  return new AccessError(
    "authentication-required",
    "the server asked for credentials after the body had been sent",
  );
}

function isErrorStatusClass(statusClass: HttpStatusClass): statusClass is AccessErrorCode {
  return !["redirect", "content", "partial", "not-modified"].includes(statusClass);
}

function createStatusAdvice(
  { status, headers }: HttpResponse,
  retryAfterMs: number | undefined,
): ErrorMessageParts | undefined {
  const allowed = headers["allow"]?.join(", ");
  if (status === 405 && allowed !== undefined)
    return ["the server allows ", createServerText(replaceControlCharacters(allowed) || "nothing")];
  const [required] = headers["upgrade"] ?? [];
  if (status === 426 && required !== undefined)
    return ["the server requires ", createServerText(replaceControlCharacters(required))];
  const fewer = status === 429 ? ", with fewer requests" : "";
  if (retryAfterMs !== undefined) return `try again in ${Math.ceil(retryAfterMs / 1000)} s${fewer}`;
  return TEMPORARY_ERROR_STATUSES.has(status) ? `try again later${fewer}` : ADVICE_BY_STATUS[status];
}
