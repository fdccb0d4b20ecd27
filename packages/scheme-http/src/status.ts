import { type AccessCode, AccessError } from "@anyscheme/core";

/** The status codes of RFC 9110 §15.4 that lead to the URL in the Location field. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What a final status means to a caller. RFC 9110 §15.5, §15.6; 423, 425, 429 and 451 have RFCs of their own. */
const CODES: Readonly<Record<number, AccessCode>> = {
  401: "needs-credentials",
  402: "permission-denied",
  403: "permission-denied",
  404: "not-found",
  405: "unsupported",
  406: "unsupported",
  407: "needs-credentials",
  408: "unavailable",
  409: "unavailable",
  410: "not-found",
  423: "unavailable",
  425: "unavailable",
  426: "unsupported",
  429: "unavailable",
  451: "permission-denied",
};

/** `refer` to another URL, `content`, or an error. */
export type Meaning = "refer" | "content" | AccessCode;

/** What a status means. One that is not known means what the `x00` of its class does, and an invalid one what 500 does (RFC 9110 §15). */
export function meaningOf(status: number): Meaning {
  if (REDIRECTS.has(status)) return "refer";
  // Nobody asked for a part of the resource.
  if (status === 206) return "protocol";
  if (status >= 200 && status < 300) return "content";
  if (status >= 300 && status < 500) return CODES[status] ?? (status === 300 ? "unsupported" : "protocol");
  return "unavailable";
}

/** The error of a status that is neither content nor a redirect. */
export function statusError(code: AccessCode, status: number, reason: string): AccessError {
  const advice = code === "needs-credentials" ? "the server wants to know who asks" : undefined;
  return new AccessError(code, `the server answered ${statusText(status, reason)}`, { advice });
}

/** Status and reason phrase, fit to be shown: a phrase is what a server makes of it. */
export function statusText(status: number, reason: string): string {
  const phrase = reason.replace(/[^\x20-\x7e\xa0-\xff]/g, "?").slice(0, 200);
  return phrase === "" ? String(status) : `${status} ${phrase}`;
}
