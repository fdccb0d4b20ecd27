/**
 * The text of a URL with every character of its password replaced by `*`, so that offsets stay as they are. Works for texts
 * that no parser takes: what stands between the first ":" and the last "@" of the login is masked, and where a raw "/" has cut
 * a password in two, all up to the "@".
 */
export function maskPassword(text: string): string {
  const scheme = /^[A-Za-z0-9+.-]+:\/*/.exec(text)?.[0] ?? "";
  if (/^(?:mailto|news):/i.test(scheme)) return text;
  const start = scheme.length;
  const slash = text.indexOf("/", start);
  const end = slash < 0 ? text.length : slash;
  const colon = text.indexOf(":", start);
  if (colon < 0 || colon >= end) return text;
  const at = text.lastIndexOf("@", end - 1);
  if (at > colon) return maskRange(text, colon + 1, at);
  const later = text.lastIndexOf("@");
  // "host:80/…@…" is no login; a port that is no number was the beginning of a password.
  const isPort = /^\d*$/.test(text.slice(colon + 1, end));
  return later > end && !isPort ? maskRange(text, colon + 1, later) : text;
}

function maskRange(text: string, from: number, to: number): string {
  return text.slice(0, from) + "*".repeat(to - from) + text.slice(to);
}
