import type { UrlFaultDefinition } from "./faults/syntax-fault.ts";
import { checkHostSyntax } from "./host.ts";
import { type CharacterClass, extendUchar } from "./characters/characters.ts";
import type { ParseDiagnostics } from "./faults/parse-fault-recorder.ts";

// user = password = *[ uchar | ";" | "?" | "&" | "=" ]            RFC 1738 §5
export const loginCharacters: CharacterClass = extendUchar(";?&=");

const MISSING_SLASHES_FAULT: UrlFaultDefinition = {
  code: "missing-slashes",
  section: "3.1",
  message: "the scheme-specific part begins with '//'",
};
const LOGIN_NOT_ALLOWED: UrlFaultDefinition = {
  code: "login-not-allowed",
  section: "3",
  message: "the scheme has no user name and password",
};
const LOGIN_DEVIATION: UrlFaultDefinition = { ...LOGIN_NOT_ALLOWED, allowedByRfc: "RFC 3986 §3.2.1" };
/** Parsers of later standards end the host at the "?". */
const QUESTION_MARK_IN_LOGIN: UrlFaultDefinition = {
  code: "login-question-mark",
  section: "3.1",
  message: "other parsers end the host at a '?' in a login",
};
const AT_SIGN_IN_LOGIN_FAULT: UrlFaultDefinition = {
  code: "at-sign",
  section: "3.1",
  message: "a '@' in a login has to be encoded",
};
const PORT_NOT_ALLOWED: UrlFaultDefinition = {
  code: "port-not-allowed",
  section: "5",
  message: "the scheme has no port",
};
const EMPTY_PORT_FAULT: UrlFaultDefinition = {
  code: "empty-port",
  section: "3.1",
  message: "if the port is omitted, the colon is as well",
  allowedByRfc: "RFC 3986 §3.2.3",
};
const PORT_OUT_OF_RANGE_FAULT: UrlFaultDefinition = {
  code: "port-range",
  section: "3.1",
  message: "a port is at most 65535",
};

/** The text in the place of the port is no number. */
export const PORT_NOT_DECIMAL_FAULT: UrlFaultDefinition = {
  code: "bad-port",
  section: "3.1",
  message: "a port is a decimal number",
};
/** The URL ends after the host, but the scheme requires a path. */
export const MISSING_PATH_SLASH_FAULT: UrlFaultDefinition = {
  code: "missing-slash",
  section: "5",
  message: "a '/' has to follow the host",
};
const NO_SLASH_BEFORE_QUERY: UrlFaultDefinition = {
  ...MISSING_PATH_SLASH_FAULT,
  allowedByRfc: "RFC 3986 §3.3",
};

/** The rules of a scheme for the text between "//" and the url-path. */
export interface AuthorityRules {
  /** True when RFC 1738 allows a login, `"modern"` when only modern mode accepts one. */
  readonly login: boolean | "modern";
  /** True when URLs of the scheme may contain a port. Default true. */
  readonly port?: boolean;
  /** True when the authority in URLs of the scheme may be empty, as in `x:///a`. Default false. */
  readonly emptyHost?: boolean;
  /** True when modern mode also ends the authority at a "?" before the first "/". RFC 3986 §3.2. Default false. */
  readonly endsAtQuestionMark?: boolean;
}

/**
 * Checks `//<user>:<password>@<host>:<port>` at the start of the scheme-specific part. Returns the index after the
 * authority, or `undefined` after a fault. In modern mode, an "@" between a "?" and the "/" is a fault: other parsers
 * find another host in `http://one?@other/`. RFC 1738 §3.1.
 */
export function checkAuthority(diagnostics: ParseDiagnostics, rules: AuthorityRules): number | undefined {
  const { urlText: text, schemePartStart } = diagnostics;
  if (!text.startsWith("//", schemePartStart)) {
    diagnostics.reportFault(MISSING_SLASHES_FAULT, schemePartStart, 0, 'write "//" after the colon');
    return undefined;
  }
  const from = schemePartStart + 2;
  const slash = diagnostics.indexOf("/", from);
  const mark = rules.endsAtQuestionMark ? diagnostics.indexOf("?", from, slash) : slash;
  const end = text.lastIndexOf("@", slash - 1) > mark ? slash : mark;
  const hostStart = diagnostics.indexOf("@", from, end) === end ? from : text.lastIndexOf("@", end - 1) + 1;
  const good =
    (hostStart === from || checkLogin(diagnostics, from, hostStart - 1, rules)) &&
    checkHostport(diagnostics, hostStart, end, rules) &&
    (end === slash || diagnostics.reportDeviation(NO_SLASH_BEFORE_QUERY, end, 0, 'write "/" before the "?"'));
  return good ? end : undefined;
}

function checkLogin(
  diagnostics: ParseDiagnostics,
  from: number,
  at: number,
  { login }: AuthorityRules,
): boolean {
  if (login !== true) {
    const advice = "leave the login out and give credentials as an option";
    const fault = login === "modern" ? LOGIN_DEVIATION : LOGIN_NOT_ALLOWED;
    if (!diagnostics.reportDeviation(fault, from, at + 1 - from, advice, login === "modern")) return false;
  }
  const questionMark = diagnostics.indexOf("?", from, at);
  if (questionMark < at && diagnostics.mode === "modern")
    return diagnostics.reportFault(QUESTION_MARK_IN_LOGIN, questionMark, 1, 'write "%3F"');
  const firstAt = diagnostics.indexOf("@", from, at);
  if (firstAt < at) return diagnostics.reportFault(AT_SIGN_IN_LOGIN_FAULT, firstAt, 1, 'write "%40"');
  const userEnd = diagnostics.indexOf(":", from, at);
  const tolerance = { unsafe: false };
  return (
    diagnostics.checkCharacters(from, userEnd, loginCharacters, tolerance) &&
    diagnostics.checkCharacters(userEnd + 1, at, loginCharacters, tolerance)
  );
}

function checkHostport(
  diagnostics: ParseDiagnostics,
  from: number,
  end: number,
  rules: AuthorityRules,
): boolean {
  const bracket = diagnostics.urlText.startsWith("[", from) ? diagnostics.indexOf("]", from, end) : from;
  const hostEnd = diagnostics.indexOf(":", bracket, end);
  if (from === end && rules.emptyHost && !diagnostics.urlText.startsWith("@", from - 1)) return true;
  return (
    checkHostSyntax(diagnostics, from, hostEnd) &&
    (hostEnd === end || checkPort(diagnostics, hostEnd, end, rules))
  );
}

// port = digits. Leading zeros and the number 0 conform to RFC 1738. The guard refuses port 0.
function checkPort(
  diagnostics: ParseDiagnostics,
  colon: number,
  end: number,
  { port }: AuthorityRules,
): boolean {
  const start = colon + 1;
  const digits = diagnostics.urlText.slice(start, end);
  if (port === false) return diagnostics.reportFault(PORT_NOT_ALLOWED, colon, end - colon, "leave it out");
  if (digits === "") return diagnostics.reportDeviation(EMPTY_PORT_FAULT, colon, 1, "leave it out");
  const stray = digits.search(/\D/);
  if (stray >= 0)
    return diagnostics.reportFault(PORT_NOT_DECIMAL_FAULT, start + stray, 1, "write decimal digits only");
  return (
    Number(digits) <= 65535 ||
    diagnostics.reportFault(PORT_OUT_OF_RANGE_FAULT, start, digits.length, "write a number up to 65535")
  );
}

/** The components of an authority as written, and their places in the text. RFC 1738 §3.1. */
export interface AuthorityComponents {
  /** The text of the URL. */
  readonly urlText: string;
  /** The user name. `""` is an empty user name, and `undefined` is no user name. */
  readonly user: string | undefined;
  /** The password. `""` is an empty password, and `undefined` is no password. */
  readonly password: string | undefined;
  /** The host. `""` for a URL without an authority. */
  readonly host: string;
  /** The digits of the port, or `undefined` without digits. */
  readonly port: string | undefined;
  /** The index after the "//". -1 for a URL without an authority. */
  readonly start: number;
  /** The index of the "/" before the url-path, or `pathEnd` without a "/". -1 without an authority. */
  readonly end: number;
  /** The latest possible end of the authority and the path: the "?" of an http URL, or `urlEnd`. */
  readonly pathEnd: number;
  /** The index after the URL: the "#", or the end of the text. */
  readonly urlEnd: number;
}

// The parser has already checked the text: it has at most one "@", which ends the login.
const authorityComponentsPattern = /^(?:([^:@]*)(?::([^@]*))?@)?(\[[^\]]*\]|[^:]*)(?::(.+))?/;

/**
 * Splits `<user>:<password>@<host>:<port>` into its components. The authority begins at `start`, and ends at the next
 * "/" or at `pathEnd`. A `start` of -1 means no authority. The parser has already checked the syntax of the text. RFC
 * 1738 §3.1.
 */
export function splitAuthority(
  text: string,
  start: number,
  urlEnd: number,
  pathEnd: number = urlEnd,
): AuthorityComponents {
  const slash = text.indexOf("/", start);
  let end = slash < 0 || slash > pathEnd ? pathEnd : slash;
  if (start < 0) end = start;
  const at = text.indexOf("@", start);
  if ((at >= 0 && at < end) || text[start] === "[") {
    const [, user, password, host = "", port] = authorityComponentsPattern.exec(text.slice(start, end)) ?? [];
    return { urlText: text, user, password, host, port, start, end, pathEnd, urlEnd };
  }
  // Most authorities have no login and no IPv6 address, and need no regular expression.
  const colon = text.indexOf(":", start);
  const hostEnd = colon < 0 || colon > end ? end : colon;
  const port = hostEnd + 1 < end ? text.slice(hostEnd + 1, end) : undefined;
  const host = text.slice(start, hostEnd);
  return { urlText: text, user: undefined, password: undefined, host, port, start, end, pathEnd, urlEnd };
}
