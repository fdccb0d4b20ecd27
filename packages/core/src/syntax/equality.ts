import { formatHost, platformHost } from "./host.ts";
import { type Escape, InternetUrl, writeAuthority } from "./internet-url.ts";
import { escapeDisallowed, normalizeEscapes } from "./percent-encoding.ts";
import type { Grammar } from "./syntax.ts";
import type { Url } from "./url.ts";

/**
 * The level at which two URLs are compared. The list states the common property of equal URLs.
 *
 * - `"identical"`: the text, fragment included.
 * - `"equivalent"`: the meaning, as RFC 1738 defines it for the text alone. Both URLs have the same normal form. A
 *   fragment is not part of a URL (§2.2) and is ignored.
 * - `"same-plan"`: the plan. The client sends the same bytes to the same servers in the same order. The interpretation
 *   of the response may differ.
 *
 * Identical URLs are equivalent. Equivalent URLs have the same plan, except in http and https. Both schemes send URLs
 * as written, so escapes of unreserved characters may differ (RFC 9110 §4.2.3).
 */
export type EqualityLevel = "identical" | "equivalent" | "same-plan";

/** Returns the normal form of a URL. See `Syntax.normalize`. */
export function normalForm<U extends Url & Parts, Parts>(grammar: Grammar<U, Parts>, url: U): string {
  const text = grammar.write(url, canonicalEscapes);
  if (!(url instanceof InternetUrl)) return text;
  if (url.host !== "") return canonicalizeAuthority(grammar, url, text);
  // Removing the escapes of opaque data after "//" could turn the data into a host.
  const again: Url = grammar.url(text, []);
  return again instanceof InternetUrl && again.host !== "" ? grammar.write(url, upperCaseEscapes) : text;
}

function canonicalizeAuthority<U extends Url & Parts, Parts>(
  { defaultPort, emptyHost, emptyPath }: Grammar<U, Parts>,
  { scheme, user, password, host, port }: InternetUrl,
  text: string,
): string {
  const start = (name: string, digits: number | string | undefined): string =>
    `${scheme}:${writeAuthority({ user, password, host: name, port: digits }, canonicalEscapes)}`;
  const before = start(host, port);
  // The written text lacks an authority that only the tolerant mode has found.
  if (!text.startsWith(before)) return text;
  const path = text.slice(before.length);
  const name = canonicalHost(host);
  const isEmpty = path === "" || path === "/";
  return (
    start(name === emptyHost ? "" : name, canonicalPort(port, defaultPort)) +
    (isEmpty && emptyPath !== undefined ? `/${emptyPath}` : path)
  );
}

// An IPv6 address has many spellings. The platform writes the form of RFC 5952. Only tolerant mode accepts IPv6
// addresses.
function canonicalHost(host: string): string {
  return (host.startsWith("[") && platformHost(host)) || formatHost(host).toLowerCase();
}

// The digits stay unchanged when the scheme has no default port.
function canonicalPort(
  port: string | undefined,
  defaultPort: number | undefined,
): number | string | undefined {
  if (port === undefined || Number(port) === defaultPort) return undefined;
  return defaultPort === undefined ? port : Number(port);
}

const canonicalEscapes: Escape = (component, allowed, sent = allowed) =>
  normalizeEscapes(escapeDisallowed(component, sent));

const upperCaseEscapes: Escape = (component, allowed, sent = allowed) =>
  normalizeEscapes(escapeDisallowed(component, sent), "");
