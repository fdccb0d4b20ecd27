import { type AccessErrorCode, AccessError, ResponseWithErrorStatus } from "@anyscheme/core";
import { parseRetryAfterMs, createMaskableServerText, type MaskableErrorText } from "@anyscheme/core/plugin";
import type { HttpResponseReader } from "../connection/http-exchange.ts";
import { createUnauthorizedAdvice } from "../request/authentication.ts";
import type { ReceivedByteCounter } from "./body-framing-decoder.ts";
import { decodeContent, isKnownCoding } from "./content-encoding.ts";
import {
  classifyResponseStatus,
  type HttpResponseHead,
  sanitizeServerText,
  type ResponseStatusClassification,
  formatStatus,
  parseContentCodings,
  toFetchResponseHead,
} from "./response-head.ts";

/** The maximum number of body bytes that an error contains. */
const MAX_ERROR_BODY_BYTES = 65_536;

/** The maximum time to read the body of an error response, in milliseconds. */
const ERROR_BODY_TIMEOUT_MS = 1_000;

/** The advice in errors for HTTP statuses that a repeated request would receive again. */
const ADVICE_BY_STATUS: Readonly<Record<number, string>> = {
  407: "a proxy requires a login, and the client sends no login to proxies",
  413: "the server does not accept content of that size",
  415: "the server does not accept this media type: set the option `mediaType` of put",
};

/** The HTTP statuses whose error advises to repeat the request later. */
const TEMPORARY_ERROR_STATUSES: ReadonlySet<number> = new Set([408, 423, 425, 429, 500, 502, 503, 504, 507]);

/**
 * Reads the beginning of the body of an unsuccessful response, and returns the error of the response. If reading fails,
 * the error contains the part of the body that was read. `decompress` is false to keep the content codings of the body.
 */
export async function readErrorFromHttpResponse(
  reader: HttpResponseReader,
  receivedBytes: ReceivedByteCounter,
  decompress: boolean = true,
): Promise<AccessError> {
  const { request, responseHead: head } = reader;
  const hasBody = request.method !== "HEAD";
  const sentCodings = decompress && hasBody ? parseContentCodings(head) : [];
  const codings = sentCodings.every(isKnownCoding) ? sentCodings : [];
  const body = await readErrorBody(reader, codings, receivedBytes);
  const fetchHead = toFetchResponseHead(head, { isDecoded: codings.length > 0 });
  return createStatusError(reader, new ResponseWithErrorStatus({ head: fetchHead, ...body }));
}

/**
 * Reads at most `MAX_ERROR_BODY_BYTES` of the body of an error response for at most `ERROR_BODY_TIMEOUT_MS`. Never
 * throws.
 */
async function readErrorBody(
  reader: HttpResponseReader,
  codings: readonly string[],
  receivedBytes: ReceivedByteCounter,
): Promise<{ readonly body: Uint8Array; readonly isBodyTruncated: boolean }> {
  const { limits } = receivedBytes;
  const maxBytes = Math.min(MAX_ERROR_BODY_BYTES, limits.maxBodyBytes, limits.maxStreamBytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const isTooLong = (): boolean => length > maxBytes;
  let isInterrupted = false;
  const timer = setTimeout(() => reader.cancel(), ERROR_BODY_TIMEOUT_MS);
  try {
    const source = codings.length > 0 ? decodeContent(reader, codings, receivedBytes) : reader;
    let state = "more";
    while (state === "more" && !isTooLong()) {
      state = await source.readChunks((bytes) => {
        chunks.push(bytes.slice(0, maxBytes + 1 - length));
        length += bytes.length;
        return !isTooLong();
      });
    }
  } catch {
    isInterrupted = true;
  } finally {
    clearTimeout(timer);
    reader.releaseOrClose();
  }
  const body = new Uint8Array(Buffer.concat(chunks).subarray(0, maxBytes));
  return { body, isBodyTruncated: isInterrupted || isTooLong() };
}

/** Returns the error of an unsuccessful response, with the reason phrase of the server and advice. */
function createStatusError(
  { request, responseHead: head }: HttpResponseReader,
  errorResponse: ResponseWithErrorStatus,
): AccessError {
  const outcome = classifyResponseStatus(head.status);
  const code = isErrorCode(outcome) ? outcome : "protocol";
  const retryAfterMs =
    code === "unavailable"
      ? parseRetryAfterMs(head.headers["retry-after"]?.[0], head.headers["date"]?.at(-1))
      : undefined;
  const advice =
    head.status === 401
      ? createUnauthorizedAdvice(head, request.isAuthorized)
      : createStatusAdvice(head, retryAfterMs);
  const reason = ["the server answered ", createMaskableServerText(formatStatus(head))];
  return new AccessError(code, reason, {
    advice,
    retryAfterMs,
    status: head.status,
    response: errorResponse,
  });
}

/** Returns the error of a 401 response to a request whose body the client cannot send again. Discards the response. */
export function createUnrepeatableBody401Error(reader: HttpResponseReader): AccessError {
  reader.releaseOrClose();
  return new AccessError(
    "authentication-required",
    "the server asked for credentials after the body had been sent",
  );
}

function isErrorCode(outcome: ResponseStatusClassification): outcome is AccessErrorCode {
  return !["redirect", "content", "partial", "not-modified"].includes(outcome);
}

function createStatusAdvice(
  { status, headers }: HttpResponseHead,
  retryAfterMs: number | undefined,
): MaskableErrorText | undefined {
  const allowed = headers["allow"]?.join(", ");
  if (status === 405 && allowed !== undefined)
    return ["the server allows ", createMaskableServerText(sanitizeServerText(allowed) || "nothing")];
  const [required] = headers["upgrade"] ?? [];
  if (status === 426 && required !== undefined)
    return ["the server requires ", createMaskableServerText(sanitizeServerText(required))];
  const fewer = status === 429 ? ", with fewer requests" : "";
  if (retryAfterMs !== undefined) return `try again in ${Math.ceil(retryAfterMs / 1000)} s${fewer}`;
  return TEMPORARY_ERROR_STATUSES.has(status) ? `try again later${fewer}` : ADVICE_BY_STATUS[status];
}
