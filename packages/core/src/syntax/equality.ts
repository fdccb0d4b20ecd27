import { formatHost, platformHost } from "./host.ts";
import { type Escape, InternetUrl, writeAuthority } from "./internet-url.ts";
import { escapeDisallowed, normalizeEscapes } from "./percent-encoding.ts";
import type { Grammar } from "./syntax.ts";
import type { Url } from "./url.ts";

/**
 * What two URLs have to share to be equal.
 *
 * - `"identical"`: the text, fragment included.
 * - `"equivalent"`: the meaning, as far as RFC 1738 tells it from the text alone; they have one normal form. A fragment is
 *   not part of a URL (§2.2) and makes no difference.
 * - `"same-plan"`: the access. The same bytes go to the same place in the same order; how the answer is read may differ.
 *
 * Identical URLs are equivalent. Equivalent URLs have the same plan; in http and https, whose requests are sent as
 * they are written, the escapes of unreserved characters in them may differ (RFC 9110 §4.2.3).
 */
export type EqualityLevel = "identical" | "equivalent" | "same-plan";

/** The normal form of a URL; see `Syntax.normalize`. */
export function normalForm<U extends Url & Parts, Parts>(grammar: Grammar<U, Parts>, url: U): string {
  const text = grammar.write(url, canonicalEscapes);
  if (!(url instanceof InternetUrl)) return text;
  if (url.host !== "") return canonicalizeAuthority(grammar, url, text);
  // Where a "//" is opaque data because its host has escapes, taking them away would make a host of it.
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
  // A server that a tolerant reading has found is not written.
  if (!text.startsWith(before)) return text;
  const path = text.slice(before.length);
  const name = canonicalHost(host);
  const isEmpty = path === "" || path === "/";
  return (
    start(name === emptyHost ? "" : name, canonicalPort(port, defaultPort)) +
    (isEmpty && emptyPath !== undefined ? `/${emptyPath}` : path)
  );
}

// An IPv6 address, which only tolerant mode lets in, has many spellings; the platform writes the one of RFC 5952.
function canonicalHost(host: string): string {
  return (host.startsWith("[") && platformHost(host)) || formatHost(host).toLowerCase();
}

// Where nothing is known of a scheme's ports, the digits stay as they are.
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
