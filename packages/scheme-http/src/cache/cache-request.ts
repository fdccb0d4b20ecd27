import {
  type AccessContext,
  type CacheMode,
  type PlanOptions,
  type RequestCache,
  sameOrigin,
} from "@anyscheme/core/plugin";
import { createCredentialsKey } from "@anyscheme/core/io";
import type { HttpHeader } from "../headers.ts";
import type { HttpRequestOptions, HttpsOptions } from "../options.ts";
import type { HttpPlan } from "../plan.ts";
import { getUrlLogin } from "../request/authentication.ts";
import { HttpRequest } from "../request/request.ts";
import { parseRedirectTarget } from "../response/redirect.ts";
import type { HttpResponse } from "../response/response.ts";
import { HttpUrl } from "../syntax.ts";

/** The parts of a request that the cache uses. */
export interface HttpCacheRequest {
  /** True for HEAD, which a stored response to GET may answer. RFC 9111 §4, RFC 9110 §9.3.2. */
  readonly isHead: boolean;
  /** The requested URL, without login and fragment. */
  readonly key: string;
  /** A digest of all credentials of the request, or an empty text. */
  readonly partition: string;
  readonly mode: CacheMode;
  readonly isShared: boolean;
  /** True when only a stored response may answer the request. */
  readonly onlyIfCached: boolean;
  /** True when every stored response may answer the request, even a stale response. */
  readonly acceptsStale: boolean;
  /** The directives of Cache-Control and Pragma, in lower case. */
  readonly cacheControl: string;
  readonly headers: readonly HttpHeader[];
  /** True when the request has a condition or a range of the caller, which the cache must not replace. */
  readonly isConditional: boolean;
  /** True when `partition` includes the credentials that the client sends after a 401 response. */
  readonly hasKnownCredentials: boolean;
}

/** The headers with which the caller itself requests a part or sets a condition. */
const SELECTION_HEADERS: ReadonlySet<string> = new Set([
  "range",
  "if-range",
  "if-match",
  "if-none-match",
  "if-modified-since",
  "if-unmodified-since",
]);

/**
 * Returns the parts of the request that the cache uses. Returns `undefined` for a request that neither reads nor writes
 * the cache: another method than GET and HEAD, `no-store`, and a header of the caller for a part or a condition.
 */
export function createCacheRequest(
  request: HttpRequest,
  plan: HttpPlan,
  redirectChain: AccessContext["redirectChain"],
  { mode, isShared }: RequestCache,
  { range, ifNoneMatch, ifModifiedSince }: PlanOptions & HttpRequestOptions,
  { ca, cert }: HttpsOptions,
): HttpCacheRequest | undefined {
  const cacheControl = readDirectives(request);
  const isHead = request.method === "HEAD";
  if ((request.method !== "GET" && !isHead) || plan.body) return undefined;
  if (mode === "no-store" || hasDirective(cacheControl, "no-store")) return undefined;
  if (request.callerHeaders.some(([name]) => SELECTION_HEADERS.has(name))) return undefined;
  const login = getUrlLogin(plan.url, { redirectChain });
  // The callback for credentials is called only when the client sends the request.
  if (plan.isPreemptive && !login) return undefined;
  const secrets = [request.secretsKey, login && [login.user, login.password], ca, cert, isShared && "shared"];
  return {
    isHead,
    key: createCacheKey(plan.url, request),
    partition: secrets.some(Boolean) ? createCredentialsKey([plan.url.scheme, request.host, ...secrets]) : "",
    mode,
    isShared,
    onlyIfCached: mode === "only-if-cached" || hasDirective(cacheControl, "only-if-cached"),
    acceptsStale: mode === "only-if-cached" || mode === "force-cache",
    cacheControl:
      mode === "no-cache" || /\bmax-age="?0+"?(?:$|[\s,])/.test(cacheControl)
        ? `${cacheControl},no-cache`
        : cacheControl,
    headers: request.headers,
    isConditional: range !== undefined || ifNoneMatch !== undefined || ifModifiedSince !== undefined,
    hasKnownCredentials: login !== undefined || request.isAuthorized,
  };
}

/** Returns the directives of a request. Pragma counts only without Cache-Control. RFC 9111 §5.2.1, §5.4. */
function readDirectives({ headers }: HttpRequest): string {
  const valuesOf = (name: string): string =>
    headers.flatMap(([other, value]) => (other === name ? [value.toLowerCase()] : [])).join(",");
  const directives = valuesOf("cache-control");
  return directives === "" && hasDirective(valuesOf("pragma"), "no-cache") ? "no-cache" : directives;
}

function hasDirective(directives: string, name: string): boolean {
  return directives.split(",").some((each) => each.trim() === name);
}

function createCacheKey({ scheme }: HttpUrl, { host, target }: HttpRequest): string {
  return `${scheme}://${host}${target}`;
}

/**
 * Deletes the stored responses that a successful request with an unsafe method has changed: those of its URL, and those
 * of Location and Content-Location with the same origin. RFC 9111 §4.4.
 */
export async function deleteResponsesInvalidatedBy(
  response: HttpResponse,
  request: HttpRequest,
  { url }: HttpPlan,
  context: Pick<AccessContext<unknown>, "cache" | "parse">,
): Promise<void> {
  const { cache } = context;
  if (!cache || response.status < 200 || response.status >= 400) return;
  const keys = new Set([createCacheKey(url, request)]);
  for (const name of ["location", "content-location"]) {
    for (const value of response.headers[name] ?? []) {
      const target = parseOtherUrl(value, response, url, context);
      if (target instanceof HttpUrl && sameOrigin(url, target))
        keys.add(createCacheKey(target, HttpRequest.create(target)));
    }
  }
  for (const key of keys) await cache.invalidate(key);
}

function parseOtherUrl(
  location: string,
  response: HttpResponse,
  url: HttpUrl,
  context: Pick<AccessContext, "parse">,
): unknown {
  try {
    return parseRedirectTarget(url, { ...response, headers: { location: [location] } }, context);
  } catch {
    return undefined;
  }
}
