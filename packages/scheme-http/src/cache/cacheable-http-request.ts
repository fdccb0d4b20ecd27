import type { CacheMode, RequestCache } from "@anyscheme/core/plugin";
import { hashCredentials } from "@anyscheme/core/io";
import type { HttpHeader } from "../headers.ts";
import type { HttpHopInputs } from "../http-hop-inputs.ts";
import { getCallerUrlLogin } from "../request/authentication.ts";
import {
  formatRequestUrlWithoutLogin,
  type HttpRequest,
  RANGE_AND_CONDITION_HEADERS,
} from "../request/http-request-head.ts";

/** The parts of a request that the cache uses. */
export interface CacheableHttpRequest {
  /** True for HEAD, which a stored response to GET may answer. RFC 9111 §4, RFC 9110 §9.3.2. */
  readonly isHead: boolean;
  /** The requested URL without login and fragment, under which the responses are stored. */
  readonly key: string;
  /** A digest of the known credentials and the certificates of the request, or an empty text. */
  readonly partition: string;
  readonly mode: CacheMode;
  readonly isShared: boolean;
  /** True when only a stored response may answer the request. */
  readonly onlyIfCached: boolean;
  /** True when every stored response may answer the request, even a stale response. */
  readonly acceptsAnyStaleResponse: boolean;
  /** The directives in the request headers Cache-Control and Pragma, in lower case. */
  readonly cacheDirectives: string;
  readonly headers: readonly HttpHeader[];
  /** True when the request has a condition or a range of the caller, which the cache must not replace. */
  readonly hasCallerConditionOrRange: boolean;
  /**
   * True when the cache partition in `partition` includes the credentials of the Authorization header, also after a 401
   * response.
   */
  readonly partitionIncludesCredentials: boolean;
}

/**
 * Returns the parts of the request that the cache uses. Returns `undefined` for a request that does not use the cache,
 * for example a POST, a request with `no-store`, or a request with a range header of the caller.
 */
export function toCacheableHttpRequest(
  request: HttpRequest,
  { mode, isShared }: RequestCache,
  { plan, context, requestOptions, schemeOptions }: HttpHopInputs,
): CacheableHttpRequest | undefined {
  const { range, ifNoneMatch, ifModifiedSince } = requestOptions;
  const { ca, cert } = schemeOptions;
  const requestDirectives = readDirectives(request);
  const isHead = request.method === "HEAD";
  if ((request.method !== "GET" && !isHead) || plan.body) return undefined;
  if (mode === "no-store" || hasDirective(requestDirectives, "no-store")) return undefined;
  if (request.callerHeaders.some(([name]) => RANGE_AND_CONDITION_HEADERS.has(name))) return undefined;
  const login = getCallerUrlLogin(plan.url, context);
  // The callback for credentials is called only when the client sends the request.
  if (plan.isPreemptive && !login) return undefined;
  const secrets = [
    request.createCachePartitionKey({ isShared }),
    login && [login.user, login.password],
    ca,
    cert,
    isShared && "shared",
  ];
  return {
    isHead,
    key: formatRequestUrlWithoutLogin(plan.url, request),
    partition: secrets.some(Boolean) ? hashCredentials([plan.url.scheme, request.host, ...secrets]) : "",
    mode,
    isShared,
    onlyIfCached: mode === "only-if-cached" || hasDirective(requestDirectives, "only-if-cached"),
    acceptsAnyStaleResponse: mode === "only-if-cached" || mode === "force-cache",
    cacheDirectives:
      mode === "no-cache" || /\bmax-age="?0+"?(?:$|[\s,])/.test(requestDirectives)
        ? `${requestDirectives},no-cache`
        : requestDirectives,
    headers: request.headers,
    hasCallerConditionOrRange:
      range !== undefined || ifNoneMatch !== undefined || ifModifiedSince !== undefined,
    partitionIncludesCredentials: login !== undefined || request.isAuthorized,
  };
}

/** Returns the cache directives of a request. Pragma counts only without Cache-Control. RFC 9111 §5.2.1, §5.4. */
function readDirectives({ headers }: HttpRequest): string {
  const valuesOf = (name: string): string =>
    headers.flatMap(([other, value]) => (other === name ? [value.toLowerCase()] : [])).join(",");
  const directives = valuesOf("cache-control");
  return directives === "" && hasDirective(valuesOf("pragma"), "no-cache") ? "no-cache" : directives;
}

function hasDirective(directives: string, name: string): boolean {
  return directives.split(",").some((each) => each.trim() === name);
}
