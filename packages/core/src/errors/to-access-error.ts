import { AccessError, type AccessCode } from "./access-error.ts";
import { serverText } from "./server-text.ts";
import { UrlSyntaxError } from "../syntax/index.ts";

/** The access codes of Node.js error codes. <https://nodejs.org/api/errors.html> */
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
 * Converts any error to an `AccessError`. Maps errors of Node.js and its libraries by their code. An unknown code
 * becomes `protocol`. An error without a code is a bug in a scheme or callback, and becomes `plugin`.
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
