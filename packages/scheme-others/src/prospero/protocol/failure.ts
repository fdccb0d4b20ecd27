import { AccessError, type AccessCode } from "@anyscheme/core";
import { serverText } from "@anyscheme/core/plugin";
import { latin1ToSingleLine } from "./text.ts";

/** What the codes of `FAILURE`, and the other refusals of a server, mean to a caller. */
export const FAILURE_CODES: Readonly<Record<string, AccessCode>> = {
  "NOT-FOUND": "not-found",
  "NOT-A-DIRECTORY": "not-found",
  AMBIGUOUS: "not-found",
  "NOT-AUTHORIZED": "permission-denied",
  "AUTHENTICATION-DATA": "permission-denied",
  "AUTHENTICATION-REQUIRED": "authentication-required",
  "SERVER-FAILED": "unavailable",
  "TOO-MANY": "unavailable",
  UNIMPLEMENTED: "unsupported",
  "OUT-OF-DATE": "unsupported",
  "VERSION-NOT-SUPPORTED": "unsupported",
  "ALREADY-EXISTS": "protocol",
  "NAME-CONFLICT": "protocol",
  "BAD-VALUE": "protocol",
  "FILTER-APPLICATION": "protocol",
  ERROR: "protocol",
};

/** The error of a refusal, in the server's own words. */
export function failureError({
  code,
  words,
}: {
  readonly code: string;
  readonly words: string;
}): AccessError {
  const known = Object.hasOwn(FAILURE_CODES, code) ? FAILURE_CODES[code] : undefined;
  return new AccessError(known ?? "protocol", [
    "the server refuses: ",
    serverText(words || latin1ToSingleLine(code)),
  ]);
}
