import { inspect } from "node:util";
import type { Step } from "./scheme.ts";

/**
 * Why an access failed. The list is closed; programs act on these. `out-of-range`: the requested range begins behind the end of
 * the content. `plugin`: a registered scheme or a callback of the caller threw; the original error is the cause.
 */
export type AccessCode =
  | "unknown-scheme"
  | "refused-port"
  | "refused-address"
  | "refused-name"
  | "refused-octets"
  | "refused-redirect"
  | "needs-credentials"
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
  | "no-data-object"
  | "plugin";

/** Why the certificate of a server is not good: its time, the names in it, or who signed it. */
export type CertificateFault = "expired" | "not-yet-valid" | "wrong-host" | "untrusted" | "revoked";

export interface AccessErrorInit {
  /** What the caller can do about it. */
  readonly advice?: string | undefined;
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
export interface Operation {
  /** `dereference`, `read`, `save`. */
  readonly name: string;
  /** The URL, its password masked. */
  readonly url: string;
  /** Masks secrets in what a server said. */
  readonly redact: (text: string) => string;
}

/**
 * The one error of accesses. Schemes and the guard throw it with what they know; the client adds operation and URL, once.
 * The message reads `<what failed>: <operation> <redacted URL>`, and what the caller can do.
 */
export class AccessError extends Error {
  override readonly name = "AccessError";
  readonly code: AccessCode;
  /** What failed, without the URL. */
  readonly what: string;
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

  constructor(code: AccessCode, what: string, init: AccessErrorInit = {}, at?: Operation) {
    const place = at ? `: ${at.name} ${at.url}` : "";
    const advice = init.advice ? ` (${init.advice})` : "";
    super(`${what}${place}${advice}`, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = code;
    this.what = what;
    this.advice = init.advice;
    this.limit = init.limit;
    if (init.retryAfterMs !== undefined) this.retryAfterMs = init.retryAfterMs;
    if (init.certificate !== undefined) this.certificate = init.certificate;
    this.url = at?.url;
    this.step = init.step;
  }

  /** The same error with its operation and URL; secrets in what the server said are masked. */
  at(operation: Operation, step?: Step): AccessError {
    if (this.url !== undefined) return this;
    const { redact } = operation;
    return new AccessError(
      this.code,
      redact(this.what),
      {
        advice: this.advice && redact(this.advice),
        limit: this.limit,
        retryAfterMs: this.retryAfterMs,
        certificate: this.certificate,
        cause: withoutSecrets(this.cause, redact),
        step: this.step ?? step,
      },
      operation,
    );
  }
}

/** The cause as it is, unless it shows a secret to whoever prints it: then only its name, message, stack and code, masked. */
function withoutSecrets(cause: unknown, redact: (text: string) => string): unknown {
  const shown = inspect(cause, { depth: 4, showHidden: true });
  if (cause === undefined || redact(shown) === shown) return cause;
  if (!(cause instanceof Error)) return redact(shown);
  const copy = Object.assign(new Error(redact(cause.message)), { name: cause.name });
  if ("code" in cause) Object.assign(copy, { code: cause.code });
  copy.stack = redact(cause.stack ?? "");
  return copy;
}
