import { type Escape, InternetUrl } from "./internet-url.ts";
import { conform, normalizeEscapes } from "./percent-encoding.ts";
import type { Grammar } from "./syntax.ts";
import { NOTHING_FOUND, type Url } from "./url.ts";

/**
 * What two URLs have to share to be equal.
 *
 * - `"identical"`: the text, fragment included.
 * - `"equivalent"`: the meaning, as far as RFC 1738 tells it from the text alone; they have one normal form. A fragment is
 *   not part of a URL (§2.2) and makes no difference.
 * - `"same-plan"`: the access. The same octets go to the same place in the same order; how the answer is read may differ.
 *
 * Identical URLs are equivalent. Equivalent URLs that conform have the same plan, unless the scheme sends a URL as it is
 * written: http and https do.
 */
export type EqualityLevel = "identical" | "equivalent" | "same-plan";

/** What stands before the url-path of a written URL: all up to the host, the host, the port. RFC 1738 §3.1. */
const authority = /^([^/]*\/\/(?:[^/@]*@)?)(\[[^\]]*\]|[^/:]*)(?::(\d+))?/;

/** The normal form of a URL; see `Syntax.normalize`. */
export function normalForm<U extends Url & Parts, Parts>(grammar: Grammar<U, Parts>, url: U): string {
  const text = grammar.write(url, plain);
  if (!(url instanceof InternetUrl)) return text;
  if (url.host !== "") return withPlainAuthority(grammar, text);
  // Where a "//" is opaque data because its host has escapes, taking them away would make a host of it.
  const again: Url = grammar.url(text, NOTHING_FOUND);
  return again instanceof InternetUrl && again.host !== "" ? grammar.write(url, upperCase) : text;
}

function withPlainAuthority<U extends Url & Parts, Parts>(
  { defaultPort, emptyHost, emptyPath }: Grammar<U, Parts>,
  text: string,
): string {
  const [whole = "", before = "", host = "", port] = authority.exec(text) ?? [];
  const path = text.slice(whole.length);
  const isEmpty = path === "" || path === "/";
  return [
    before,
    host.toLowerCase() === emptyHost ? "" : plainHost(host),
    plainPort(port, defaultPort),
    isEmpty && emptyPath !== undefined ? `/${emptyPath}` : path,
  ].join("");
}

// An IPv6 address, which only tolerant mode lets in, has many spellings; the platform writes the one of RFC 5952.
function plainHost(host: string): string {
  return host.startsWith("[") ? new URL(`http://${host}/`).hostname : host.toLowerCase();
}

// Where nothing is known of a scheme's ports, the digits stay as they are.
function plainPort(port: string | undefined, defaultPort: number | undefined): string {
  if (port === undefined || Number(port) === defaultPort) return "";
  return `:${defaultPort === undefined ? port : Number(port)}`;
}

const plain: Escape = (component, allowed) => normalizeEscapes(conform(component, allowed));

const upperCase: Escape = (component, allowed) =>
  conform(component, allowed).replace(/%[0-9a-f]{2}/gi, (triplet) => triplet.toUpperCase());
