import type { Fault } from "./deviation.ts";
import { checkHost } from "./host.ts";
import { type CharacterClass, ucharPlus } from "./characters.ts";
import type { Diagnostics } from "./diagnostics.ts";

// user = password = *[ uchar | ";" | "?" | "&" | "=" ]            RFC 1738 §5
export const loginCharacters: CharacterClass = ucharPlus(";?&=");

const MISSING_SLASHES: Fault = ["missing-slashes", "3.1", "the scheme-specific part begins with '//'"];
const LOGIN_NOT_ALLOWED: Fault = ["login-not-allowed", "3", "the scheme has no user name and password"];
const AT_SIGN: Fault = ["at-sign", "3.1", "a '@' in a login has to be encoded"];
const PORT_NOT_ALLOWED: Fault = ["port-not-allowed", "5", "the scheme has no port"];
const EMPTY_PORT: Fault = ["empty-port", "3.1", "if the port is omitted, the colon is as well"];
const PORT_RANGE: Fault = ["port-range", "3.1", "a port is at most 65535"];

/** What stands in the place of a port and is no number. */
export const BAD_PORT: Fault = ["bad-port", "3.1", "a port is a decimal number"];
/** A host that ends the URL where the scheme asks for a path. */
export const MISSING_SLASH: Fault = ["missing-slash", "5", "a '/' has to follow the host"];

/** What a scheme's production allows between "//" and the url-path. */
export interface AuthorityRules {
  readonly login: boolean;
  /** Whether a port may be written. Default true. */
  readonly port?: boolean;
  /** Whether the host may be empty. Default false. */
  readonly emptyHost?: boolean;
}

/**
 * Looks for what is wrong with `//<user>:<password>@<host>:<port>` at the start of the scheme-specific part. Returns the
 * index behind it, or `undefined` when that set the reading's fault. RFC 1738 §3.1.
 */
export function checkAuthority(reading: Diagnostics, rules: AuthorityRules): number | undefined {
  const { text, start } = reading;
  if (!text.startsWith("//", start)) {
    reading.reportFault(MISSING_SLASHES, start, 0, 'write "//" after the colon');
    return undefined;
  }
  const from = start + 2;
  const end = reading.next("/", from);
  const hostStart = reading.next("@", from, end) === end ? from : text.lastIndexOf("@", end - 1) + 1;
  const good =
    (hostStart === from || checkLogin(reading, from, hostStart - 1, rules)) &&
    checkHostport(reading, hostStart, end, rules);
  return good ? end : undefined;
}

function checkLogin(reading: Diagnostics, from: number, at: number, { login }: AuthorityRules): boolean {
  if (!login) {
    const advice = "leave the login out and give credentials as an option";
    return reading.reportFault(LOGIN_NOT_ALLOWED, from, at + 1 - from, advice);
  }
  const firstAt = reading.next("@", from, at);
  if (firstAt < at) return reading.reportFault(AT_SIGN, firstAt, 1, 'write "%40"');
  const userEnd = reading.next(":", from, at);
  const tolerance = { national: false };
  return (
    reading.check(from, userEnd, loginCharacters, tolerance) &&
    reading.check(userEnd + 1, at, loginCharacters, tolerance)
  );
}

function checkHostport(reading: Diagnostics, from: number, end: number, rules: AuthorityRules): boolean {
  const bracket = reading.text.startsWith("[", from) ? reading.next("]", from, end) : from;
  const hostEnd = reading.next(":", bracket, end);
  if (from === end && rules.emptyHost) return true;
  return checkHost(reading, from, hostEnd) && (hostEnd === end || checkPort(reading, hostEnd, end, rules));
}

// port = digits; leading zeros are legal text, and so is 0, which the guard refuses.
function checkPort(reading: Diagnostics, colon: number, end: number, { port }: AuthorityRules): boolean {
  const start = colon + 1;
  const digits = reading.text.slice(start, end);
  if (port === false) return reading.reportFault(PORT_NOT_ALLOWED, colon, end - colon, "leave it out");
  if (digits === "") return reading.reportDeviation(EMPTY_PORT, colon, 1, "leave it out");
  const stray = digits.search(/\D/);
  if (stray >= 0) return reading.reportFault(BAD_PORT, start + stray, 1, "write decimal digits only");
  return (
    Number(digits) <= 65535 ||
    reading.reportFault(PORT_RANGE, start, digits.length, "write a number up to 65535")
  );
}
