import { inspect } from "node:util";
import type { Step } from "../scheme/plan.ts";
import { UrlSyntaxError } from "../syntax/index.ts";
import type { ResponseWithErrorStatus } from "./response-with-error-status.ts";

/**
 * The kind of failure of a request. `rejected`: the server rejects the request, as with the status 400, 409 or 422.
 * `out-of-range`: the range starts after the end of the content. `proxy`: the proxy cannot be reached, or refuses the
 * connection or the login. `timeout`: a time limit or a timeout signal of the caller has elapsed. `plugin`: a scheme or
 * a callback threw an unexpected error, which is the cause, or returned an invalid value.
 */
export type AccessErrorCode =
  | "unknown-scheme"
  | "refused-port"
  | "refused-address"
  | "refused-name"
  | "refused-characters"
  | "refused-redirect"
  | "authentication-required"
  | "permission-denied"
  | "not-found"
  | "rejected"
  | "unavailable"
  | "proxy"
  | "protocol"
  | "incomplete"
  | "limit"
  | "timeout"
  | "aborted"
  | "unsupported"
  | "out-of-range"
  | "no-content"
  | "plugin";

/** The reason why the certificate of a server was rejected. */
export type ServerCertificateFault = "expired" | "not-yet-valid" | "wrong-host" | "untrusted" | "revoked";

/** A text of a server within an error message. The server's text may repeat a secret that the server has received. */
export class MaskableServerText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** Marks a server text in {@link MaskableErrorText}. */
export function createMaskableServerText(text: string): MaskableServerText {
  return new MaskableServerText(text);
}

/**
 * A message, or the parts of a message, of which some are server texts. The parts of an error message are joined
 * without a separator.
 */
export type MaskableErrorText = string | readonly (string | MaskableServerText)[];

/** Joins the parts of a message. `show` converts each server text, for example by masking its words. */
export function joinErrorTextParts(
  wording: MaskableErrorText,
  show: (serverText: string) => string = (text) => text,
): string {
  if (typeof wording === "string") return wording;
  return wording.map((part) => (typeof part === "string" ? part : show(part.text))).join("");
}

export interface AccessErrorInit {
  /** The advice for the caller in the error message. */
  readonly advice?: MaskableErrorText | undefined;
  /** The name of the limit that was reached, for `limit` and `timeout`. */
  readonly limit?: string | undefined;
  /** The delay that the server states before a retry, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** The reason why the server's certificate was rejected. */
  readonly certificate?: ServerCertificateFault | undefined;
  /** The status code of an HTTP response. */
  readonly status?: number | undefined;
  /** The size of the whole content in bytes, for `out-of-range`. */
  readonly totalSize?: number | undefined;
  /** The HTTP response, with the beginning of its body. */
  readonly response?: ResponseWithErrorStatus | undefined;
  /** True when the server states that a further attempt may succeed, or closes the connection. Default false. */
  readonly isTemporary?: boolean | undefined;
  readonly cause?: unknown;
  /**
   * True when a callback or the abort signal of the caller is the origin of the cause, which the client then never
   * masks. Default: true only for `aborted`.
   */
  readonly isCallerCause?: boolean | undefined;
  readonly step?: Step | undefined;
}

/** The operation and URL of the failed request. */
export interface ErrorContext {
  /** The name of the failed operation, such as `dereference`, `stat`, `read` or `save`. */
  readonly operationName: string;
  /** The URL of the failed request, with its password masked. */
  readonly url: string;
  /** Masks server texts. Default: shows them. */
  readonly mask?: ((serverText: string) => string) | undefined;
  /** The advice for an error with the code `authentication-required`, in place of the error's own advice. */
  readonly loginAdvice?: string | undefined;
}

/**
 * The error of a failed request. Schemes and the guard throw an `AccessError`, and the client adds operation and URL
 * once. The message is `<reason>: <operation> <masked URL> (<advice>)`. The function `createMaskableServerText` marks
 * the parts of the message that must be masked.
 */
export class AccessError extends Error {
  override readonly name = "AccessError";
  readonly code: AccessErrorCode;
  /** The description of the failure, without the URL. */
  readonly reason: string;
  readonly advice: string | undefined;
  readonly limit: string | undefined;
  /** The server's Retry-After in milliseconds, for `unavailable`. */
  declare readonly retryAfterMs?: number | undefined;
  /** The reason why the certificate of the server (`unavailable`) or of the proxy (`proxy`) was rejected. */
  declare readonly certificate?: ServerCertificateFault | undefined;
  /** The status code of the HTTP response. */
  declare readonly status?: number | undefined;
  /** The size of the whole content in bytes, for `out-of-range`, if the server states the size. */
  declare readonly totalSize?: number | undefined;
  /**
   * True when the server states that a further attempt may succeed, as FTP servers do with 421, or closes the
   * connection.
   */
  declare readonly isTemporary?: boolean | undefined;
  /** The URL of the failed request, with its password masked. `undefined` until the client has added the URL. */
  readonly url: string | undefined;
  /** The failed step of the plan of the request. */
  readonly step: Step | undefined;
  readonly #messageParts: MaskableErrorText;
  readonly #advice: MaskableErrorText | undefined;
  // The response is in a private field, because programs that print an error print its public properties.
  readonly #response: ResponseWithErrorStatus | undefined;
  readonly #isCallerCause: boolean;

  constructor(
    code: AccessErrorCode,
    messageParts: MaskableErrorText,
    init: AccessErrorInit = {},
    context?: ErrorContext,
  ) {
    const reason = joinErrorTextParts(messageParts);
    const place = context ? `: ${context.operationName} ${context.url}` : "";
    const advice = init.advice && joinErrorTextParts(init.advice);
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
    if (init.status !== undefined) this.status = init.status;
    if (init.totalSize !== undefined) this.totalSize = init.totalSize;
    if (init.isTemporary === true) this.isTemporary = true;
    this.#response = init.response;
    // The cause of an aborted request is the caller's abort reason.
    this.#isCallerCause = init.isCallerCause ?? code === "aborted";
    this.url = context?.url;
    this.step = init.step;
  }

  /** The HTTP response with its headers and the beginning of its body, for an error with a `status`. */
  get response(): ResponseWithErrorStatus | undefined {
    return this.#response;
  }

  /** The reason in parts, with its server texts marked, for use in another error. */
  get messageParts(): MaskableErrorText {
    return this.#messageParts;
  }

  /** Returns the error with operation, URL and step. Masks server texts with `mask`. */
  withContext(context: ErrorContext, step?: Step): AccessError {
    if (this.url !== undefined) return this;
    return this.#maskedCopy(context.mask, context, step);
  }

  #maskedCopy(mask: ErrorContext["mask"], context?: ErrorContext, step?: Step): AccessError {
    const loginAdvice = this.code === "authentication-required" ? context?.loginAdvice : undefined;
    return new AccessError(
      this.code,
      joinErrorTextParts(this.#messageParts, mask),
      {
        advice: loginAdvice ?? (this.#advice && joinErrorTextParts(this.#advice, mask)),
        limit: this.limit,
        retryAfterMs: this.retryAfterMs,
        certificate: this.certificate,
        status: this.status,
        response: this.#response,
        totalSize: this.totalSize,
        isTemporary: this.isTemporary,
        cause: mask && !this.#isCallerCause ? AccessError.#maskCause(this.cause, mask) : this.cause,
        isCallerCause: this.#isCallerCause,
        step: this.step ?? step,
      },
      context,
    );
  }

  /**
   * Masks a cause. Returns a system error, a `DOMException` and an `AccessError` with a URL unchanged. Masks only the
   * server texts of an `AccessError` without a URL. A cause of another kind is replaced by a copy of the error with
   * name, code, masked message and stack.
   */
  static #maskCause(cause: unknown, mask: (serverText: string) => string): unknown {
    if (cause instanceof AccessError) return cause.url === undefined ? cause.#maskedCopy(mask) : cause;
    // The message of a DOMException, such as a TimeoutError, contains no server text.
    if (cause === undefined || isSystemError(cause) || cause instanceof DOMException) return cause;
    const { name, message, code, stack } = (
      cause instanceof Error ? cause : new Error(inspect(cause))
    ) as NodeJS.ErrnoException;
    const copy = Object.assign(new Error(mask(message)), { name }, code === undefined ? {} : { code });
    const frames = stack?.match(/^ {4}at .*$/gm) ?? [];
    copy.stack = [`${name}: ${copy.message}`, ...frames].join("\n");
    return copy;
  }
}

/** True for an error of the operating system. The message of a system error contains no server text. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && "errno" in error;
}

/** The Node.js error codes that are converted to an `AccessErrorCode`. <https://nodejs.org/api/errors.html> */
const NODE_CODES_BY_ACCESS_CODE: readonly (readonly [AccessErrorCode, nodeCodes: readonly string[]])[] = [
  ["unavailable", ["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN"]],
  ["protocol", ["EPROTO"]],
  ["timeout", ["ETIMEDOUT"]],
  ["incomplete", ["ECONNRESET", "EPIPE"]],
  ["not-found", ["ENOENT", "ENOTDIR"]],
  ["permission-denied", ["EACCES", "EPERM", "ELOOP"]],
];

/** True for an error that Node.js throws for a wrong argument or value of a program. */
export function isProgrammingError(error: unknown): boolean {
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
}

/**
 * Converts any error to an `AccessError`. Maps errors of Node.js and its libraries by their code. An error with an
 * unknown code and a `UrlSyntaxError` become an `AccessError` with the code `protocol`, and an `AbortError` becomes
 * `aborted`. Any other error without a code, and a `TypeError`, `RangeError` or `ReferenceError`, is a bug in a scheme
 * or callback, and becomes `plugin`.
 */
export function toAccessError(error: unknown): AccessError {
  if (error instanceof AccessError) return error;
  const { code, message } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { code: undefined, message: String(error) };
  if (error instanceof Error && error.name === "AbortError")
    return new AccessError("aborted", "aborted", { cause: error });
  if (typeof code === "string" && !isProgrammingError(error)) {
    const [known] = NODE_CODES_BY_ACCESS_CODE.find(([, nodeCodes]) => nodeCodes.includes(code)) ?? [];
    return new AccessError(known ?? "protocol", known ? message : [createMaskableServerText(message)], {
      cause: error,
    });
  }
  if (error instanceof UrlSyntaxError)
    return new AccessError("protocol", [createMaskableServerText(message)], { cause: error });
  return new AccessError(
    "plugin",
    ["a scheme or a callback threw an error: ", createMaskableServerText(message)],
    {
      cause: error,
    },
  );
}
