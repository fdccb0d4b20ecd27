import { AccessError } from "../errors/access-error.ts";
import { limitError } from "../policy/limits.ts";
import { InternetUrl, type Url } from "../syntax/index.ts";
import type { Call, Hop } from "./request.ts";
import type { DereferenceOptions } from "./options.ts";

/** Options that hold for every hop; all others belong to one scheme and one origin. */
const COMMON: ReadonlySet<string> = new Set<keyof DereferenceOptions>([
  "signal",
  "onProgress",
  "limits",
  "policy",
  "credentials",
  "trace",
  "email",
  "range",
  "resume",
  "ifModifiedSince",
]);

/** Whether one URL may lead to another; throws `refused-redirect` or `limit`. The guard then judges the new URL from the start. */
export function checkHop(target: Url, from: Hop, call: Call): void {
  const { url, redirectChain: via } = from;
  const visited = [...via.map((hop) => hop.url), url];
  if (visited.length > call.limits.maxRedirects)
    throw limitError("maxRedirects", call.limits, "too many redirects");
  // By name, not by class: a scheme may come from another copy of this package.
  const { user, password } = target as Partial<InternetUrl>;
  if (user !== undefined || password !== undefined) {
    throw new AccessError("refused-redirect", "the redirect has a login in its URL");
  }
  if (!mayLeadTo(url.scheme, target.scheme, call)) {
    const advice = `the policy option edges: ["${url.scheme}→${target.scheme}"] allows it`;
    const listed = target.scheme === "file" ? undefined : advice;
    throw new AccessError(
      "refused-redirect",
      `a redirect from ${url.scheme} to ${target.scheme} is refused`,
      { advice: listed },
    );
  }
  if (visited.some((earlier) => withoutFragment(earlier) === withoutFragment(target))) {
    throw new AccessError("refused-redirect", "the redirects go round in a circle");
  }
}

/**
 * Edges that are allowed without being listed, since the scheme is made of them: HTTP's redirects, the way from a Gopher+ item to
 * one of its views (RFC 1738 §3.4.8), and Prospero's access methods, which are asked of a server because they "might themselves be represented as different URLs" (RFC 1738 §3.11).
 */
const EDGES: ReadonlyMap<string, readonly string[]> = new Map([
  ["http", ["http", "https"]],
  ["https", ["http", "https"]],
  ["gopher", ["gopher"]],
  ["gophers", ["gophers"]],
  ["prospero", ["prospero", "ftp", "gopher", "wais", "telnet"]],
]);

function mayLeadTo(from: string, to: string, call: Call): boolean {
  if (to === "file") return false;
  if (EDGES.get(from)?.includes(to)) return true;
  return call.policy.allowSchemeRedirects.has(`${from}→${to}`);
}

/** Whether two URLs have scheme, host and port in common. */
export function sameOrigin(one: Url, other: Url): boolean {
  return (
    one.scheme === other.scheme &&
    one instanceof InternetUrl &&
    other instanceof InternetUrl &&
    one.effectiveHost === other.effectiveHost &&
    one.effectivePort === other.effectivePort
  );
}

/** The call as another origin may know it: without headers and whatever else was meant for the first one. */
export function withoutSchemeOptions(call: Call): Call {
  const kept = Object.entries(call.options).filter(([name]) => COMMON.has(name));
  return { ...call, options: Object.fromEntries(kept) };
}

function withoutFragment(url: Url): string {
  return url.href.replace(/#.*$/s, "");
}
