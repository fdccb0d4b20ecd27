import { BUILT_IN_SCHEME_NAMES } from "../client/scheme-packages.ts";

/**
 * Matches the text before a login: punctuation such as "<", then a scheme with ":" or with the slashes alone, as in
 * `http//`. The slashes after the scheme may be backslashes.
 */
const PREFIX_OF_LOGIN = /^[^A-Za-z0-9+.\-/\\:@]*(?:URL:)?([A-Za-z0-9+.-]*)(:[/\\]*|[/\\]{2,})/i;

/**
 * Replaces every character of a URL's password by `*`, so that offsets do not change. Also works for invalid URLs:
 * the password begins after the first ":" and ends before the last "@" or "%40" of the login. The password may contain
 * an unescaped "/". A text with an unknown scheme and without "//" may be a login, as in `joe:sesame@h.example`.
 */
export function maskPassword(text: string): string {
  const [prefix = "", name = "", delimiter = ""] = PREFIX_OF_LOGIN.exec(text) ?? [];
  const hasScheme = BUILT_IN_SCHEME_NAMES.includes(name.toLowerCase());
  if (/^(?:mailto|news)$/i.test(name) && delimiter.startsWith(":")) return text;
  const start = hasScheme || /[/\\]{2}$/.test(delimiter) ? prefix.length : 0;
  const colon = text.indexOf(":", start);
  const lastAt = findLastAt(text, text.length);
  if (colon < 0 || lastAt <= colon) return text;
  const slash = text.indexOf("/", start);
  const end = slash < 0 ? text.length : slash;
  // A host after slashes ends at the next slash, so a later ":" belongs to the path.
  if (start > 0 && colon >= end) return text;
  const at = findLastAt(text, end);
  if (start > 0 && at > colon) return maskRange(text, colon + 1, at);
  // Digits between the colon and the slash are a port, as in "host:80/…@…". Any other text after the colon is the
  // beginning of a password.
  const isPort = colon < end && lastAt >= end && /^\d+$/.test(text.slice(colon + 1, end));
  return isPort ? text : maskRange(text, colon + 1, lastAt);
}

/** Returns the index of the last "@" or "%40" before `end`, or -1. */
function findLastAt(text: string, end: number): number {
  const part = text.slice(0, end);
  return Math.max(part.lastIndexOf("@"), part.lastIndexOf("%40"));
}

function maskRange(text: string, from: number, to: number): string {
  return text.slice(0, from) + "*".repeat(to - from) + text.slice(to);
}
