/**
 * Matches a host and a port before a path, a query, a fragment or the end. The host is an IPv6 address in brackets, or
 * a name whose first character is no ASCII punctuation except `_`.
 */
const HOST_AND_PORT = /^(\[[^\]/?#]*\]|(?![!-/:-@[-^`{-~])[^\s/?#@:\\[\]]+)(:\d+)?(?=[/?#]|$)/;
const SCHEME_NAME = /^[A-Za-z0-9+.-]+$/;
const MAIL_ADDRESS = /^[^\s/:@?#]+@[^\s/:@?#]+$/;
/** The schemes of hosts whose name begins with the name of the scheme, as in `ftp.example`. */
const SCHEME_PREFIX_OF_HOST = /^(ftp|gopher)\./i;

/** Matches a URL without the colon after its scheme, as in `http//host/`. */
const SCHEME_WITHOUT_COLON = /^([A-Za-z0-9+.-]+)(?=\/\/)/;

/**
 * Matches a login after two slashes, as in `name//joe:sesame@host/`. The part before the slashes is a scheme, not a
 * host.
 */
const LOGIN_AFTER_SLASHES = /^[^/:@]*\/\/[^/:@]*:.*(?:@|%40)/s;

/** Returns the scheme name at the start of a text, in lower case. Returns "" for a text without a colon. */
export function extractSchemeName(text: string): string {
  return text.slice(0, Math.max(0, text.indexOf(":"))).toLowerCase();
}

/** True for a text that has the syntax of a scheme name (RFC 1738 §2.1). */
export function isSchemeName(text: string): boolean {
  return SCHEME_NAME.test(text);
}

/**
 * Returns the URL that a user means by a text without a scheme, as in `example.com/x` or `localhost:8080/x`. Guesses
 * the scheme by the host name, as curl does, if no default scheme is given. Returns `undefined` for a text that begins
 * with no host, and for a text with a login. The caller checks that the name before the colon is not a registered
 * scheme.
 */
export function guessUrl(
  text: string,
  schemeNames: readonly string[],
  defaultScheme?: string,
): string | undefined {
  const trimmed = text.trim();
  if (repairMissingColon(text, schemeNames) !== undefined || LOGIN_AFTER_SLASHES.test(trimmed))
    return undefined;
  const [match = "", host, port] = HOST_AND_PORT.exec(trimmed) ?? [];
  if (host === undefined) return undefined;
  // A scheme with a number looks like a host with a port, as in "tel:5551234".
  if (port !== undefined && match === trimmed && SCHEME_NAME.test(host) && !/\.|^localhost$/i.test(host))
    return undefined;
  const scheme = defaultScheme ?? SCHEME_PREFIX_OF_HOST.exec(host)?.[1]?.toLowerCase() ?? "http";
  return `${scheme}://${trimmed}`;
}

/**
 * Returns a URL with the colon after its scheme, as in `http://host/` for `http//host/`. The parameter `schemeNames`
 * has the names of the command's schemes.
 */
export function repairMissingColon(text: string, schemeNames: readonly string[]): string | undefined {
  const trimmed = text.trim();
  const name = SCHEME_WITHOUT_COLON.exec(trimmed)?.[1];
  return name !== undefined && schemeNames.includes(name.toLowerCase())
    ? trimmed.replace(SCHEME_WITHOUT_COLON, "$1:")
    : undefined;
}

/** Returns the URL in `<URL:…>` or `<…>` (RFC 1738 Appendix), or any other text unchanged. */
export function unwrapUrl(text: string): string {
  return /^\s*<(?:URL:)?([^<>]*)>\s*$/i.exec(text)?.[1]?.replace(/\s+/g, "") ?? text;
}

/** Returns the URL that a user means by a text without a scheme. For a mail address, returns a mailto URL. */
export function repairMissingScheme(text: string, schemeNames: readonly string[]): string | undefined {
  const trimmed = text.trim();
  return MAIL_ADDRESS.test(trimmed) ? `mailto:${trimmed}` : guessUrl(text, schemeNames);
}

/**
 * Returns a URL with "//" after the scheme, as in `http://example.com` for `http:/example.com`. Returns `undefined` if
 * no host name follows the scheme, and for a `file:` URL, whose first name is no host.
 */
export function repairMissingSlashes(text: string): string | undefined {
  const [, scheme = "", slashes = "", given = ""] =
    /^([A-Za-z0-9+.-]+):([\\/]*)(.*)$/s.exec(text.trim()) ?? [];
  const rest = slashes.includes("\\") ? given.replaceAll("\\", "/") : given;
  const [, host = ""] = HOST_AND_PORT.exec(rest.replace(/^[^/?#@]*@/, "")) ?? [];
  return /^\[|[^\d.]|^\d+(?:\.\d+){3}$/.test(host) && !/^file$/i.test(scheme)
    ? `${scheme}://${rest}`
    : undefined;
}
