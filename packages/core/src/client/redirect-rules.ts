import { AccessError } from "../errors/access-error.ts";
import { createLimitError } from "../policy/limits.ts";
import { InternetUrl, type Url } from "../syntax/index.ts";
import type { RedirectChanges } from "../scheme/context.ts";
import type { RedirectChainEntry } from "../scheme/resource.ts";
import type { Hop } from "./request-hop.ts";
import type { DereferenceOptions } from "./options.ts";

/**
 * The credential provider of a `fetch` request with `credentials: "omit"`. With `credentials: "omit"`, the request also
 * sends and stores no cookies.
 */
export const provideNoCredentials = (): undefined => undefined;

/**
 * The options that apply to every hop of a request. A redirect to another origin drops all other options, unless the
 * scheme's `crossOriginOptions` name them.
 */
const OPTIONS_OF_EVERY_HOP: ReadonlySet<string> = new Set<keyof DereferenceOptions>([
  "signal",
  "onProgress",
  "limits",
  "policy",
  "proxy",
  "connectionAttemptDelayMs",
  "retry",
  "onResponse",
  "credentials",
  "trace",
  "cache",
  // The cookie jar is kept, because it chooses the cookies for each origin.
  "cookies",
  "email",
  "range",
  "resume",
  "ifModifiedSince",
]);

/**
 * Throws `refused-redirect` or `limit` unless a hop may redirect to this URL. The guard checks the host and port of the
 * URL when the next hop connects.
 */
export function checkRedirect(target: Url, from: Hop, { isNewRequest = false }: RedirectChanges = {}): void {
  const { url, redirectChain, request, loopCheckStartIndex } = from;
  const visited = [...redirectChain.map((entry) => entry.fromUrl), url];
  if (visited.length > request.limits.maxRedirects)
    throw createLimitError("maxRedirects", request.limits, "too many redirects");
  // `instanceof InternetUrl` is false for a URL of a scheme that uses another copy of this package.
  const { user, password } = target as Partial<InternetUrl>;
  if (user !== undefined || password !== undefined)
    throw new AccessError("refused-redirect", "the redirect URL has a login");
  const reason = `a redirect from ${url.scheme} to ${target.scheme} is refused`;
  if (request.client.registry.findScheme(target.scheme)?.acceptsRedirects === false)
    throw new AccessError("refused-redirect", reason);
  if (!isRedirectAllowed(from, target.scheme)) {
    const advice = `allow it with the policy option allowSchemeRedirects: { "${url.scheme}": ["${target.scheme}"] }`;
    throw new AccessError("refused-redirect", reason, { advice });
  }
  const sameRequest = isNewRequest ? [] : visited.slice(loopCheckStartIndex);
  if (sameRequest.some((earlier) => removeFragment(earlier) === removeFragment(target)))
    throw new AccessError("refused-redirect", "the redirects form a loop");
}

function isRedirectAllowed({ scheme, request }: Hop, to: string): boolean {
  const { name, redirectSchemes = [name] } = scheme;
  if (redirectSchemes.includes(to)) return true;
  return request.policy.allowSchemeRedirects.get(scheme.name)?.has(to) === true;
}

/** Returns true when two URLs have the same scheme, host and port. */
export function sameOrigin(one: Url, other: Url): boolean {
  return (
    one.scheme === other.scheme &&
    one instanceof InternetUrl &&
    other instanceof InternetUrl &&
    one.effectiveHost === other.effectiveHost &&
    one.effectivePort === other.effectivePort
  );
}

/**
 * True when a redirect of the chain led to another origin. The result stays true when a later redirect leads back to
 * the origin of the first URL.
 */
export function hasLeftOrigin(redirectChain: readonly RedirectChainEntry[], url: Url): boolean {
  return redirectChain.some(
    (entry, index) => !sameOrigin(entry.fromUrl, redirectChain[index + 1]?.fromUrl ?? url),
  );
}

/**
 * Removes the options that another origin must not receive, such as headers. The request options named in `kept` are
 * not removed.
 */
export function removeOptionsForOtherOrigin(
  options: DereferenceOptions,
  kept: readonly string[] = [],
): DereferenceOptions {
  const isKept = ([name]: [string, unknown]): boolean =>
    OPTIONS_OF_EVERY_HOP.has(name) || kept.includes(name);
  return Object.fromEntries(Object.entries(options).filter(isKept));
}

function removeFragment(url: Url): string {
  return url.href.replace(/#.*$/s, "");
}
