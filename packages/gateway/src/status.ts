import { AccessError, type AccessCode, UrlSyntaxError } from "@anyscheme/core";

/** What a browser is told when an access fails: whose fault it is. RFC 9110 §15. */
const BY_CODE: Readonly<Record<AccessCode, number>> = {
  "unknown-scheme": 404,
  "refused-port": 403,
  "refused-address": 403,
  "refused-name": 403,
  "refused-characters": 400,
  "refused-redirect": 403,
  "authentication-required": 403,
  "permission-denied": 403,
  "not-found": 404,
  unavailable: 502,
  protocol: 502,
  incomplete: 502,
  limit: 502,
  timeout: 504,
  aborted: 503,
  unsupported: 400,
  "out-of-range": 416,
  "no-content": 400,
  plugin: 500,
};

const REASONS: Readonly<Record<number, string>> = {
  400: "Bad request",
  403: "Not allowed",
  404: "Not found",
  405: "Not that method",
  413: "Too much",
  416: "No such part",
  421: "Not this server",
  500: "A fault of this gateway",
  502: "The server failed",
  503: "Too busy",
  504: "The server did not answer in time",
};

/** A refusal of the gateway's own, before any access. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The status of a failure. */
export function statusOf(error: unknown): number {
  if (error instanceof Refusal) return error.status;
  if (error instanceof UrlSyntaxError) return 400;
  return error instanceof AccessError ? BY_CODE[error.code] : 500;
}

export function reasonOf(status: number): string {
  return REASONS[status] ?? "Error";
}

/** What a person may know of a failure. Faults of the program itself say nothing about it. */
export function explanationOf(error: unknown): string {
  // Its advice is for who has written the program, and the URL is in the form above.
  if (error instanceof AccessError) return error.reason;
  const known = error instanceof Refusal || error instanceof UrlSyntaxError;
  return known ? error.message : "The request could not be served.";
}
