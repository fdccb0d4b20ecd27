import { checkHost } from "./host.ts";
import { loginCharacters } from "./internet-url.ts";
import type { Reading } from "./reading.ts";

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
export function checkAuthority(reading: Reading, rules: AuthorityRules): number | undefined {
  const { text, start } = reading;
  if (!text.startsWith("//", start)) {
    reading.refuse("missing-slashes", start, 0, 'write "//" after the colon');
    return undefined;
  }
  const from = start + 2;
  const slash = text.indexOf("/", from);
  const end = slash < 0 || slash > reading.end ? reading.end : slash;
  const firstAt = text.indexOf("@", from);
  if (firstAt < 0 || firstAt >= end) return checkHostport(reading, from, end, rules) ? end : undefined;
  const at = text.lastIndexOf("@", end - 1);
  const good = checkLogin(reading, from, at, rules) && checkHostport(reading, at + 1, end, rules);
  return good ? end : undefined;
}

function checkLogin(reading: Reading, from: number, at: number, rules: AuthorityRules): boolean {
  const { text } = reading;
  if (!rules.login) {
    const advice = "leave the login out and give credentials as an option";
    return reading.refuse("login-not-allowed", from, at + 1 - from, advice);
  }
  const firstAt = text.indexOf("@", from);
  if (firstAt < at) return reading.refuse("at-sign", firstAt, 1, 'write "%40"');
  const colon = text.indexOf(":", from);
  const userEnd = colon < 0 || colon > at ? at : colon;
  const tolerance = { national: false };
  return (
    reading.check(from, userEnd, loginCharacters, tolerance) &&
    (userEnd === at || reading.check(userEnd + 1, at, loginCharacters, tolerance))
  );
}

function checkHostport(reading: Reading, from: number, end: number, rules: AuthorityRules): boolean {
  const { text } = reading;
  const bracket = text.startsWith("[", from) ? text.indexOf("]", from) : -1;
  const colon = text.indexOf(":", bracket > 0 && bracket < end ? bracket : from);
  const hostEnd = colon < 0 || colon > end ? end : colon;
  if (hostEnd === from && hostEnd === end && rules.emptyHost) return true;
  return checkHost(reading, from, hostEnd) && (hostEnd === end || checkPort(reading, hostEnd, end, rules));
}

// port = digits; leading zeros are legal text, and so is 0, which the guard refuses.
function checkPort(reading: Reading, colon: number, end: number, rules: AuthorityRules): boolean {
  const digits = reading.text.slice(colon + 1, end);
  if (rules.port === false)
    return reading.refuse("port-not-allowed", colon, end - colon, "leave the port out");
  if (digits === "") return reading.depart("empty-port", colon, 1, "leave the colon out");
  const stray = /[^0-9]/.exec(digits);
  if (stray) return reading.refuse("bad-port", colon + 1 + stray.index, 1, "write decimal digits only");
  if (Number(digits) > 65535)
    return reading.refuse("port-range", colon + 1, digits.length, "write a number up to 65535");
  return true;
}
