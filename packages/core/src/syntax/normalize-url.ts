import { formatHostAsAscii, normalizeHostByPlatform } from "./host.ts";
import { type ComponentEscaper, InternetUrl, writeAuthority } from "./internet-url.ts";
import { escapeCharacter, escapeDisallowed, normalizeEscapes } from "./characters/percent-encoding.ts";
import type { SyntaxDefinition } from "./syntax.ts";
import type { Url } from "./url.ts";

/**
 * The level at which two URLs are compared. At each level, equal URLs have the following in common:
 *
 * - `"identical"`: the text, fragment included.
 * - `"equivalent"`: the meaning, as RFC 1738 defines it for the text alone. Equivalent URLs have the same normal form.
 *   A fragment is not part of a URL (§2.2) and is ignored.
 * - `"same-plan"`: the plans of the URLs. For both URLs, the client sends the same bytes to the same servers in the
 *   same order. The client may interpret the servers' responses to the two URLs differently.
 *
 * Identical URLs are equivalent. Equivalent URLs have the same plan, except in http and https. The schemes http and
 * https send URLs as written, so escapes of the unreserved characters of RFC 3986 §2.3 may differ (RFC 9110 §4.2.3).
 */
export type EqualityLevel = "identical" | "equivalent" | "same-plan";

/** Returns the normal form of a URL. See `Syntax.normalize`. */
export function normalizeUrl<U extends Url & Parts, Parts>(
  grammar: SyntaxDefinition<U, Parts>,
  url: U,
): string {
  const text = grammar.formatUrl(url, canonicalEscapes);
  if (!(url instanceof InternetUrl)) return text;
  if (url.host !== "" || grammar.emptyHostEquivalent !== undefined)
    return canonicalizeAuthority(grammar, url, text);
  // Removing the escapes of opaque data after "//" could turn the data into a host.
  const again: Url = grammar.createUrlFromText(text, [], url.mode);
  return again instanceof InternetUrl && again.host !== "" ? grammar.formatUrl(url, upperCaseEscapes) : text;
}

function canonicalizeAuthority<U extends Url & Parts, Parts>(
  { defaultPort, emptyHostEquivalent, emptyPathEquivalent, removeDotSegments }: SyntaxDefinition<U, Parts>,
  { scheme, user, password, host, port, mode }: InternetUrl,
  text: string,
): string {
  // RFC 1738 does not define news URLs with a server, as in `news://h/a.b`.
  if (!text.startsWith(`${scheme}://`)) {
    const path = text.slice(scheme.length + 1);
    return `${scheme}:${writeAuthority({ host: canonicalHost(host), port: canonicalPort(port, defaultPort) }, canonicalEscapes)}/${path}`;
  }
  const start = (name: string, digits: number | string | undefined): string =>
    `${scheme}:${writeAuthority({ user, password, host: name, port: digits }, canonicalEscapes)}`;
  const slash = text.indexOf("/", scheme.length + 3);
  const written = slash < 0 ? "" : text.slice(slash);
  const path =
    removeDotSegments && mode === "modern" ? applyToPathWithoutQuery(written, removeDotSegments) : written;
  const name = canonicalHost(host);
  const isEmpty = path === "" || path === "/";
  return (
    start(name === emptyHostEquivalent ? "" : name, canonicalPort(port, defaultPort)) +
    (isEmpty && emptyPathEquivalent !== undefined ? `/${emptyPathEquivalent}` : path)
  );
}

/** Removes the dot segments of a URL's path, which ends at the first "?". */
function applyToPathWithoutQuery(text: string, removeDotSegments: (path: string) => string): string {
  const [, path = "", query = ""] = /^([^?]*)(.*)$/s.exec(text) ?? [];
  return path === "" ? text : removeDotSegments(path) + query;
}

// An IPv6 address has many spellings. The platform's `URL` writes an IPv6 address in the form of RFC 5952. Only modern
// mode accepts IPv6 addresses.
function canonicalHost(host: string): string {
  return (host.startsWith("[") && normalizeHostByPlatform(host)) || formatHostAsAscii(host).toLowerCase();
}

// The digits of the port stay unchanged when the scheme has no default port.
function canonicalPort(
  port: string | undefined,
  defaultPort: number | undefined,
): number | string | undefined {
  if (port === undefined || Number(port) === defaultPort) return undefined;
  return defaultPort === undefined ? port : Number(port);
}

// RFC 3986 §2.3. Only escapes of unreserved characters are removed, because a server that receives the component as
// written distinguishes other escapes from their characters.
const RFC3986_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

const canonicalEscapes: ComponentEscaper = (component, allowed, sent) =>
  sent === undefined || typeof component !== "string"
    ? normalizeEscapes(escapeDisallowed(component, allowed))
    : normalizeEscapes(component.replace(sent.disallowed, escapeCharacter), RFC3986_UNRESERVED);

const upperCaseEscapes: ComponentEscaper = (component, allowed) =>
  normalizeEscapes(escapeDisallowed(component, allowed), "");
