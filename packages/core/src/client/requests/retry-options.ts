import {
  type OptionKind,
  createArrayOptionKind,
  createIntegerOptionKind,
  createOptionsOptionKind,
  stringOptionKind,
  createEitherOptionKind,
} from "../../options/option-kinds.ts";

/**
 * The settings of the retries of failed requests. A request is repeated only when its method and its body allow a
 * repetition.
 */
export interface RetryOptions {
  /** The maximum number of retries after the first attempt, from 0 to 1 000. Default 2. */
  readonly maxRetries?: number | undefined;
  /**
   * The HTTP methods whose requests are repeated after a failure. Reading counts as GET, `stat` as HEAD, `put` as PUT,
   * and `delete` as DELETE, for every scheme. `mkdir`, `rename` and appending are never repeated. Default: GET, PUT,
   * HEAD, DELETE, OPTIONS, TRACE.
   */
  readonly methods?: readonly string[] | undefined;
  /** The HTTP status codes after which a request is repeated. Default: 408, 425, 429, 500, 502, 503, 504. */
  readonly statusCodes?: readonly number[] | undefined;
  /**
   * The longest wait before the first retry, in milliseconds. The longest wait doubles with each retry. Each wait is a
   * random time between half and all of the longest wait. Default 1 000.
   */
  readonly backoffMs?: number | undefined;
  /**
   * The maximum wait before a retry, in milliseconds. A request whose server asks for a longer wait is not repeated.
   * Default 30 000.
   */
  readonly maxBackoffMs?: number | undefined;
}

/** The settings of retries, the maximum number of retries, or false for no retries. */
export type RetryOption = RetryOptions | number | false;

const MAX_RETRIES = 1_000;
const maxRetries = createIntegerOptionKind(0, MAX_RETRIES);
const finiteDuration = createIntegerOptionKind(0, 2 ** 31 - 1);

/** Advice for the names of these settings in undici, got and other clients. */
const ADVICE_BY_NAME: Readonly<Record<string, string>> = {
  minTimeout: "write backoffMs, the longest wait before the first retry",
  maxTimeout: "write maxBackoffMs",
  backoffLimit: "write maxBackoffMs",
  maxRetryAfter: "write maxBackoffMs",
  limit: "write maxRetries",
  attempts: "write maxRetries, which does not count the first attempt",
};

export const retryOptionKind: OptionKind = {
  ...createEitherOptionKind(
    {
      expects: `false, a number of retries from 0 to ${MAX_RETRIES}`,
      accepts: (value) => value === false || maxRetries.accepts(value),
    },
    createOptionsOptionKind(
      {
        maxRetries,
        methods: createArrayOptionKind(stringOptionKind, 'methods, as ["GET"]'),
        statusCodes: createArrayOptionKind(createIntegerOptionKind(400, 599), "status codes from 400 to 599"),
        backoffMs: finiteDuration,
        maxBackoffMs: finiteDuration,
      },
      "{ maxRetries?, methods?, statusCodes?, backoffMs?, maxBackoffMs? }",
      ADVICE_BY_NAME,
    ),
  ),
};

/** True for a body that can be sent more than once. A stream and an iterable can be read only once. */
export function isRepeatableBody(body: unknown): boolean {
  return (
    body === undefined ||
    body === null ||
    typeof body === "string" ||
    ArrayBuffer.isView(body) ||
    [ArrayBuffer, SharedArrayBuffer, Blob, FormData, URLSearchParams].some((type) => body instanceof type)
  );
}
