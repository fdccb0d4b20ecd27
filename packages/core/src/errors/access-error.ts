import { inspect } from "node:util";
import type { Step } from "../scheme/plan.ts";
import { formatMessage, type MessageParts } from "./server-text.ts";

/**
 * Why an access failed. The list is closed; programs act on these. `out-of-range`: the requested range begins behind the end of
 * the content. `plugin`: a registered scheme or a callback of the caller threw; the original error is the cause.
 */
export type AccessCode =
  | "unknown-scheme"
  | "refused-port"
  | "refused-address"
  | "refused-name"
  | "refused-characters"
  | "refused-redirect"
  | "authentication-required"
  | "permission-denied"
  | "not-found"
  | "unavailable"
  | "protocol"
  | "incomplete"
  | "limit"
  | "timeout"
  | "aborted"
  | "unsupported"
  | "out-of-range"
  | "no-content"
  | "plugin";

/** Why the certificate of a server is not good: its time, the names in it, or who signed it. */
export type CertificateFault = "expired" | "not-yet-valid" | "wrong-host" | "untrusted" | "revoked";

export interface AccessErrorInit {
  /** What the caller can do about it. */
  readonly advice?: MessageParts | undefined;
  /** The name of the limit that was reached, for `limit` and `timeout`. */
  readonly limit?: string | undefined;
  /** When the server wants to be asked again. */
  readonly retryAfterMs?: number | undefined;
  /** What is wrong with the certificate of a server. */
  readonly certificate?: CertificateFault | undefined;
  readonly cause?: unknown;
  readonly step?: Step | undefined;
}

/** Where an error happened, as the client knows it. */
export interface ErrorContext {
  /** `dereference`, `read`, `save`. */
  readonly name: string;
  /** The URL, its password masked. */
  readonly url: string;
  /** How words of a server are shown. Default: as they are. */
  readonly redact?: ((serverText: string) => string) | undefined;
}

/**
 * The one error of accesses. Schemes and the guard throw it with what they know; the client adds operation and URL, once.
 * The message reads `<what failed>: <operation> <redacted URL>`, and what the caller can do. Words of a server within it are marked by
 * `serverText`, so that they can be masked, and ours are left alone.
 */
export class AccessError extends Error {
  override readonly name = "AccessError";
  readonly code: AccessCode;
  /** What failed, without the URL. */
  readonly reason: string;
  readonly advice: string | undefined;
  readonly limit: string | undefined;
  /** When the server wants to be asked again, in milliseconds from its answer on; for `unavailable`, where it says so. */
  declare readonly retryAfterMs?: number | undefined;
  /** What is wrong with the server's certificate, for `unavailable`. */
  declare readonly certificate?: CertificateFault | undefined;
  /** The URL with its password masked; `undefined` until the client has seen the error. */
  readonly url: string | undefined;
  /** The step of the plan that failed. */
  readonly step: Step | undefined;
  readonly #messageParts: MessageParts;
  readonly #advice: MessageParts | undefined;

  constructor(
    code: AccessCode,
    messageParts: MessageParts,
    init: AccessErrorInit = {},
    withContext?: ErrorContext,
  ) {
    const reason = formatMessage(messageParts);
    const place = withContext ? `: ${withContext.name} ${withContext.url}` : "";
    const advice = init.advice && formatMessage(init.advice);
    super(
      `${reason}${place}${advice ? ` (${advice})` : ""}`,
      init.cause === undefined ? undefined : { cause: init.cause },
    );
    this.#messageParts = messageParts;
    this.code = code;
    this.reason = reason;
    this.#advice = init.advice;
    this.advice = advice;
    this.limit = init.limit;
    if (init.retryAfterMs !== undefined) this.retryAfterMs = init.retryAfterMs;
    if (init.certificate !== undefined) this.certificate = init.certificate;
    this.url = withContext?.url;
    this.step = init.step;
  }

  /** What failed, for another error: the words of a server stay marked. */
  get messageParts(): MessageParts {
    return this.#messageParts;
  }

  /** The same error with its operation and URL; words of a server as `redact` shows them. */
  withContext(operation: ErrorContext, step?: Step): AccessError {
    if (this.url !== undefined) return this;
    return this.#redactedCopy(operation.redact, operation, step);
  }

  #redactedCopy(redact: ErrorContext["redact"], operation?: ErrorContext, step?: Step): AccessError {
    return new AccessError(
      this.code,
      formatMessage(this.#messageParts, redact),
      {
        advice: this.#advice && formatMessage(this.#advice, redact),
        limit: this.limit,
        retryAfterMs: this.retryAfterMs,
        certificate: this.certificate,
        // What the caller gave as the reason of an end is the caller's own.
        cause: redact && this.code !== "aborted" ? AccessError.#redactCause(this.cause, redact) : this.cause,
        step: this.step ?? step,
      },
      operation,
    );
  }

  /** A cause as far as no server has a word in it: an error of the system as it is, of any other its name, code, message and stack. */
  static #redactCause(cause: unknown, redact: (serverText: string) => string): unknown {
    if (cause instanceof AccessError) return cause.url === undefined ? cause.#redactedCopy(redact) : cause;
    if (cause === undefined || isSystemError(cause)) return cause;
    const { name, message, code, stack } = (
      cause instanceof Error ? cause : new Error(inspect(cause))
    ) as NodeJS.ErrnoException;
    const copy = Object.assign(new Error(redact(message)), { name }, code === undefined ? {} : { code });
    const frames = stack?.match(/^ {4}at .*$/gm) ?? [];
    copy.stack = [`${name}: ${copy.message}`, ...frames].join("\n");
    return copy;
  }
}

/** Whether an error is the operating system's: it has no words but Node's. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && "errno" in error;
}
