import { AccessError, type AccessCode } from "./access-error.ts";
import { serverText } from "./server-text.ts";
import { UrlSyntaxError } from "../syntax/index.ts";

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

/**
 * Any failure as an `AccessError`. An `AccessError` is returned as it is. Errors of Node and its libraries are classified by their
 * code, and are `protocol` where it is unknown. An error without a code is a fault of a scheme or of a callback: `plugin`.
 */
export function toAccessError(error: unknown): AccessError {
  if (error instanceof AccessError) return error;
  const { code, message } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { code: undefined, message: String(error) };
  if (error instanceof Error && error.name === "AbortError")
    return new AccessError("aborted", "aborted", { cause: error });
  if (typeof code === "string") {
    const known = Object.hasOwn(NODE_CODES, code) ? NODE_CODES[code] : undefined;
    return new AccessError(known ?? "protocol", known ? message : [serverText(message)], { cause: error });
  }
  if (error instanceof UrlSyntaxError)
    return new AccessError("protocol", [serverText(message)], { cause: error });
  return new AccessError("plugin", ["a scheme or a callback threw: ", serverText(message)], { cause: error });
}
