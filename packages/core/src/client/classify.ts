import { AccessError, type AccessCode } from "../access-error.ts";

/** Codes of Node's own errors, by which drivers may fail, and what they mean to a caller. <https://nodejs.org/api/errors.html> */
const NODE_CODES: Readonly<Record<string, AccessCode>> = {
  ECONNREFUSED: "unavailable",
  EHOSTUNREACH: "unavailable",
  ENETUNREACH: "unavailable",
  EADDRNOTAVAIL: "unavailable",
  ENOTFOUND: "unavailable",
  EAI_AGAIN: "unavailable",
  EPROTO: "protocol",
  ETIMEDOUT: "timeout",
  ECONNRESET: "incomplete",
  EPIPE: "incomplete",
  ENOENT: "not-found",
  ENOTDIR: "not-found",
  EACCES: "permission-denied",
  EPERM: "permission-denied",
  ELOOP: "permission-denied",
};

/** Any failure as an `AccessError`: one that is already is left alone, Node's are classified by their code, the rest are `protocol`. */
export function classify(error: unknown): AccessError {
  if (error instanceof AccessError) return error;
  const { code, message } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { code: undefined, message: String(error) };
  if (error instanceof Error && error.name === "AbortError")
    return new AccessError("aborted", "aborted", { cause: error });
  const known = code !== undefined && Object.hasOwn(NODE_CODES, code) ? NODE_CODES[code] : undefined;
  return new AccessError(known ?? "protocol", message, { cause: error });
}
