import { AccessError, type AccessCode } from "@anyscheme/core";
import { serverText, latin1ToText, toSingleLine } from "@anyscheme/core/plugin";

/** The error codes for the codes of `FAILURE` and for other failures. */
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

/** Creates the error for a failure, with the server's text. */
export function failureError({ code, text }: { readonly code: string; readonly text: string }): AccessError {
  const known = Object.hasOwn(FAILURE_CODES, code) ? FAILURE_CODES[code] : undefined;
  const shown = text || toSingleLine(latin1ToText(code));
  return new AccessError(known ?? "protocol", ["the server refuses: ", serverText(shown)]);
}
