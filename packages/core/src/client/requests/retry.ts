// Retries of requests that failed temporarily. RFC 9110 §9.2.2.
import { AccessError } from "../../errors/access-error.ts";
import { delay } from "../../io/abort.ts";
import { addDefaultOptions } from "../../options/add-default-options.ts";
import type { OperationResult } from "../../scheme/operation.ts";
import type { Resource } from "../../scheme/resource.ts";
import type { Url } from "../../syntax/index.ts";
import { parseRetryAfterMs } from "../../text/retry-after.ts";
import { runWithRequestTimeout } from "./request-timeout.ts";
import { executeWithHooks } from "./execute-with-hooks.ts";
import type { RequestContext } from "../request-hop.ts";
import { isRepeatableBody, type RetryOptions } from "./retry-options.ts";
import { emitTrace, hasTraceListeners } from "../trace.ts";

type RetrySettings = Required<{ [Name in keyof RetryOptions]: NonNullable<RetryOptions[Name]> }>;

const DEFAULT_SETTINGS: RetrySettings = {
  maxRetries: 2,
  methods: ["GET", "PUT", "HEAD", "DELETE", "OPTIONS", "TRACE"],
  statusCodes: [408, 425, 429, 500, 502, 503, 504],
  backoffMs: 1_000,
  maxBackoffMs: 30_000,
};

/** The error codes of Node.js for failures that a further attempt may avoid. <https://nodejs.org/api/errors.html> */
const TEMPORARY_SYSTEM_ERRORS: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "EAI_AGAIN",
  "ETIMEOUT",
  "ESERVFAIL",
]);

/**
 * The names of the time limits that apply to each attempt of a request. The limit `callTimeoutMs` applies to all
 * attempts together.
 */
const ATTEMPT_LIMITS: ReadonlySet<unknown> = new Set([
  "connectTimeoutMs",
  "dnsTimeoutMs",
  "firstByteTimeoutMs",
  "idleTimeoutMs",
]);

/** A failure that a further attempt may avoid. */
interface TemporaryFailure {
  readonly reason: string;
  /** The wait that the server asks for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Executes a request, and repeats it after a temporary failure. A wait between attempts ends with an error when the
 * caller's signal aborts or the client is destroyed, and does not begin when it would exceed `callTimeoutMs`.
 */
export async function executeWithRetries(
  request: RequestContext,
  url: Url,
  execute: (request: RequestContext) => Promise<OperationResult>,
): Promise<OperationResult> {
  const settings = findRetrySettings(request);
  if (!settings) return executeWithHooks(request, 1, execute);
  for (let retries = 0; ; retries++) {
    let result: OperationResult | undefined;
    let error: unknown;
    let failure: TemporaryFailure | undefined;
    try {
      result = await executeWithHooks(request, retries + 1, execute);
      failure = findTemporaryStatus(result, settings);
    } catch (thrown) {
      error = thrown;
      failure = findTemporaryFailure(error, settings);
    }
    const waitMs = failure && computeRetryWait(settings, retries, failure.retryAfterMs);
    const elapsedMs = performance.now() - request.startedAtMs;
    if (
      !failure ||
      waitMs === undefined ||
      retries >= settings.maxRetries ||
      elapsedMs + waitMs >= request.limits.callTimeoutMs
    ) {
      if (result) return result;
      throw error;
    }
    if (result && "close" in result) await (result as Resource).close();
    traceRetry(request, url, `${retries + 1} in ${Math.round(waitMs)} ms after: ${failure.reason}`);
    await runWithRequestTimeout(request, String(url), (signal) => delay(waitMs, signal));
  }
}

/** Returns the retry settings of a request, or `undefined` if the request must not be repeated. */
function findRetrySettings({ options, operation }: RequestContext): RetrySettings | undefined {
  const { retry = false } = options;
  if (retry === false || !operation.retryMethod) return undefined;
  const given = typeof retry === "number" ? { maxRetries: retry } : retry;
  const settings: RetrySettings = addDefaultOptions(DEFAULT_SETTINGS, given);
  const { method = operation.retryMethod, body } = options as { method?: string; body?: unknown };
  const isRepeated = settings.methods.some((each) => each.toUpperCase() === method.toUpperCase());
  return isRepeated && isRepeatableBody(body) ? settings : undefined;
}

/** Returns the failure of a response whose status says that a further attempt may succeed. */
function findTemporaryStatus(
  { response }: OperationResult,
  { statusCodes }: RetrySettings,
): TemporaryFailure | undefined {
  if (!response || !statusCodes.includes(response.status)) return undefined;
  const fields = new Map([...response.headers].map(([name, value]) => [name.toLowerCase(), value]));
  const retryAfterMs = parseRetryAfterMs(fields.get("retry-after"), fields.get("date"));
  return { reason: `the status ${response.status}`, retryAfterMs };
}

/** Returns the failure of an error that a further attempt may avoid. */
export function findTemporaryFailure(
  error: unknown,
  { statusCodes }: Pick<RetrySettings, "statusCodes">,
): TemporaryFailure | undefined {
  if (!(error instanceof AccessError)) return undefined;
  const { status, retryAfterMs, reason } = error;
  const isTemporary = status === undefined ? isTemporaryError(error) : statusCodes.includes(status);
  return isTemporary ? { reason, retryAfterMs } : undefined;
}

function isTemporaryError({ code, limit, isTemporary, certificate, cause }: AccessError): boolean {
  if (isTemporary === true || code === "incomplete") return true;
  if (code === "timeout") return ATTEMPT_LIMITS.has(limit);
  return (
    (code === "unavailable" || code === "proxy") && certificate === undefined && isConnectionFailure(cause)
  );
}

/** True when a cause, or the cause of a cause, is a temporary failure of the network. */
function isConnectionFailure(cause: unknown, depth = 0): boolean {
  if (!(cause instanceof Error) || depth > 10) return false;
  return (
    TEMPORARY_SYSTEM_ERRORS.has((cause as NodeJS.ErrnoException).code) ||
    isConnectionFailure(cause.cause, depth + 1)
  );
}

/**
 * Returns the wait before a retry in milliseconds, or `undefined` when the server asks for a longer wait than
 * `maxBackoffMs`. Half of the wait is random, so that clients that failed at the same time do not repeat at the same
 * time.
 */
export function computeRetryWait(
  { backoffMs, maxBackoffMs }: Pick<RetrySettings, "backoffMs" | "maxBackoffMs">,
  retries: number,
  retryAfterMs: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  const longestMs = Math.min(backoffMs * 2 ** retries, maxBackoffMs);
  const waitMs = (longestMs * (1 + random())) / 2;
  if (retryAfterMs === undefined) return waitMs;
  return retryAfterMs > maxBackoffMs ? undefined : Math.max(retryAfterMs, waitMs);
}

function traceRetry({ options, masker, startedAtMs }: RequestContext, url: Url, text: string): void {
  if (!hasTraceListeners(options.trace)) return;
  const atMs = performance.now() - startedAtMs;
  emitTrace(options.trace, {
    action: "retry",
    text: masker.mask(text),
    atMs,
    url: String(url),
    step: undefined,
  });
}
