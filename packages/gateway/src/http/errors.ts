import { AccessError, type AccessErrorCode, UrlSyntaxError } from "@anyscheme/core";

/** The HTTP status of the gateway's response for each code of an `AccessError`. RFC 9110 §15. */
const STATUS_BY_ACCESS_CODE: Readonly<Record<AccessErrorCode, number>> = {
  "unknown-scheme": 404,
  "refused-port": 403,
  "refused-address": 403,
  "refused-name": 403,
  "refused-characters": 400,
  "refused-redirect": 403,
  "authentication-required": 403,
  "permission-denied": 403,
  "not-found": 404,
  rejected: 502,
  unavailable: 502,
  proxy: 502,
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

const ERROR_PAGE_TITLES: Readonly<Record<number, string>> = {
  400: "Bad request",
  403: "Forbidden",
  404: "Not found",
  405: "Method not allowed",
  413: "Request too large",
  416: "Range not satisfiable",
  421: "Wrong host name",
  500: "Internal error of the gateway",
  502: "The server failed",
  503: "Too busy",
  504: "The server did not answer in time",
};

/** A failure that the gateway itself reports, with the HTTP status of the response. */
export class GatewayHttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function getHttpStatusForError(error: unknown): number {
  if (error instanceof GatewayHttpError) return error.status;
  if (error instanceof UrlSyntaxError) return 400;
  return error instanceof AccessError ? STATUS_BY_ACCESS_CODE[error.code] : 500;
}

/** Returns the header field with the length of the content for a range after its end. RFC 9110 §14.4. */
export function createContentRangeHeaderForError(error: unknown): Readonly<Record<string, string>> {
  return error instanceof AccessError && error.totalSize !== undefined
    ? { "content-range": `bytes */${error.totalSize}` }
    : {};
}

export function getErrorPageTitle(status: number): string {
  return ERROR_PAGE_TITLES[status] ?? "Error";
}

/** Returns the text of the error page for an error. The text for an internal error contains no details. */
export function getPageTextForError(error: unknown): string {
  if (getHttpStatusForError(error) === 500) return "The request failed.";
  // The error page omits the property `message`: it also contains the URL, which the page shows anyway, and advice for
  // programmers.
  if (error instanceof AccessError) return error.reason;
  return error instanceof Error ? error.message : String(error);
}
