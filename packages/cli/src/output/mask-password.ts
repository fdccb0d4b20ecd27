import { BUILT_IN_SCHEME_NAMES } from "../client/scheme-packages.ts";

/**
 * Replaces every character of a URL's password by `*`, so that offsets do not change. Also works for invalid URLs:
 * the password begins after the first ":" and ends before the last "@" of the login. The password may contain an
 * unescaped "/". A text with an unknown scheme and without "//" may be a login, as in `joe:sesame@h.example`.
 */
export function maskPassword(text: string): string {
  const scheme = /^[A-Za-z0-9+.-]+:\/*/.exec(text)?.[0] ?? "";
  if (/^(?:mailto|news):/i.test(scheme)) return text;
  const nameEnd = scheme.indexOf(":");
  if (
    nameEnd > 0 &&
    !scheme.endsWith("//") &&
    !BUILT_IN_SCHEME_NAMES.includes(scheme.slice(0, nameEnd).toLowerCase())
  )
    return maskRange(text, nameEnd + 1, Math.max(nameEnd + 1, text.lastIndexOf("@")));
  const start = scheme.length;
  const slash = text.indexOf("/", start);
  const end = slash < 0 ? text.length : slash;
  const colon = text.indexOf(":", start);
  if (colon < 0 || colon >= end) return text;
  const at = text.lastIndexOf("@", end - 1);
  if (at > colon) return maskRange(text, colon + 1, at);
  const lastAt = text.lastIndexOf("@");
  // Digits between the colon and the slash are a port, as in "host:80/…@…". Text with other characters is the
  // beginning of a password.
  const isPort = /^\d*$/.test(text.slice(colon + 1, end));
  return lastAt > end && !isPort ? maskRange(text, colon + 1, lastAt) : text;
}

function maskRange(text: string, from: number, to: number): string {
  return text.slice(0, from) + "*".repeat(to - from) + text.slice(to);
}
