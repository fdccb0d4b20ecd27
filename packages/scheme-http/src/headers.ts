// The syntax of headers in requests and responses. RFC 9110 §5.
import { AccessError } from "@anyscheme/core";
import { getFirstInvalidHeaderCharacter, isHttpToken } from "@anyscheme/core/plugin";

/** A header as a pair of its name in lower case and its value. */
export type HttpHeader = readonly [name: string, value: string];

/**
 * The headers that describe the body of a request. A redirect that drops the body also drops the headers that describe
 * it.
 */
export const REQUEST_BODY_HEADERS: ReadonlySet<string> = new Set([
  "content-encoding",
  "content-language",
  "content-location",
  "content-type",
]);

/**
 * The headers of the caller that contain no secret. A caller's header outside `HEADERS_WITHOUT_SECRETS` may contain a
 * secret: no text shows its value, another origin does not receive it, and users of a shared cache with different
 * values share no response.
 */
export const HEADERS_WITHOUT_SECRETS: ReadonlySet<string> = new Set([
  ...REQUEST_BODY_HEADERS,
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "if-modified-since",
  "if-unmodified-since",
  "pragma",
  "range",
  "user-agent",
]);

/**
 * Matches the usual names of headers with credentials. The pattern cannot match all names of credentials, because
 * servers invent names.
 */
const CREDENTIAL_HEADER_NAME =
  /authorization|(?:^|-)auth(?:-|$)|cookie|credential|token|secret|session|signature|password|(?:api|access|auth)-?key/;

/** Matches the password of a URL in a header value, as in `location: ftp://joe:sesame@host/`. */
const PASSWORD_IN_URL = /(\/\/[^\s/?#@:]*:)[^\s/?#@]+(?=@)/g;

/**
 * Matches challenge parameters with values that a server chooses freely, such as nonce. The trace masks these values. A
 * server may put a password into a challenge parameter before the client knows that the text is a secret. RFC 7616
 * §3.3.
 */
const CHALLENGE_PARAMETER = /\b((?:next)?nonce|opaque|rspauth|cnonce) *= *(?:"(?:[^"\\]|\\.)*"|[^\s,]*)/gi;

/** True when the name of a header shows that its value is a credential, as in `authorization` and `set-cookie`. */
export function isCredentialHeader([name]: HttpHeader): boolean {
  return CREDENTIAL_HEADER_NAME.test(name);
}

/** Formats headers as lines for the trace. Secret values and the passwords of URLs are `****`. */
export function formatHeadersForTrace(
  headers: readonly HttpHeader[],
  isSecret: (header: HttpHeader) => boolean = isCredentialHeader,
): string[] {
  return headers.map((header) => {
    const [name, value] = header;
    if (isSecret(header)) return `${name}: ****`;
    const text = /authenticat/.test(name) ? value.replace(CHALLENGE_PARAMETER, "$1=****") : value;
    return `${name}: ${text.replace(PASSWORD_IN_URL, "$1****")}`;
  });
}

/**
 * Creates a request header from a name and a value. Throws `refused-characters` for a header value that cannot be sent.
 */
export function createHttpHeader(name: string, value: string): HttpHeader {
  const refused = getFirstInvalidHeaderCharacter(value);
  if (refused === undefined) return [name, value];
  const code = refused.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  throw new AccessError("refused-characters", `the header ${name} contains U+${code}, which cannot be sent`);
}

/**
 * Parses header lines. Returns the values by header name in lower case. Throws `protocol` for an invalid header line.
 */
export function parseHttpHeaders(lines: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const headers = Object.create(null) as Record<string, string[]>;
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon));
    // A header name that begins with a blank belongs to a folded line (RFC 9112 §5.2), and is no token.
    if (!isHttpToken(name)) throw createMalformedResponseError("a header line has no valid name");
    (headers[name.toLowerCase()] ??= []).push(trimSpacesAndTabs(line, colon + 1));
  }
  return headers;
}

/**
 * Trims spaces and tabs around the value of a header. `String.trim` would also remove U+00A0, which is a valid byte of
 * a header value.
 */
function trimSpacesAndTabs(line: string, from: number): string {
  let start = from;
  let end = line.length;
  while (line[start] === " " || line[start] === "\t") start++;
  while (end > start && (line[end - 1] === " " || line[end - 1] === "\t")) end--;
  return line.slice(start, end);
}

/**
 * Returns the error of an HTTP response that violates RFC 9112. The argument `fault` completes the message, as in `the
 * head has a control character`.
 */
export function createMalformedResponseError(fault: string): AccessError {
  return new AccessError("protocol", `the response is malformed: ${fault}`);
}

/** Returns the error of a line that ends with a bare LF or CR instead of CR LF. */
export function createBareLineEndError(): AccessError {
  return new AccessError("protocol", "the server ended a line of its response with a bare LF or CR");
}
