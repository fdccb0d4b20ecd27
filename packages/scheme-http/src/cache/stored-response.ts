// The head of a stored response, and the decisions of RFC 9111 about it.
import { createHash } from "node:crypto";
import CachePolicy from "http-cache-semantics";
import { parseHttpDate, type PlanOptions } from "@anyscheme/core/plugin";
import type { HttpHeader } from "../headers.ts";
import type { HttpResponseHead } from "../response/response-head.ts";
import type { CacheableHttpRequest } from "./cacheable-http-request.ts";

/** The data of a cache entry, without the headers of the request. */
export interface StoredResponseMetadata extends HttpResponseHead {
  /** The state of http-cache-semantics: directives, date and age. */
  readonly policy: CachePolicy.CachePolicyObject;
  /** The header names that the Vary header lists, in lower case and sorted. */
  readonly varyHeaderNames: readonly string[];
  /** True if the body is stored: false for a redirect or an error whose body the client did not read. */
  readonly hasBody: boolean;
}

/**
 * The headers that are not stored: headers of the connection (RFC 9111 §3.1), and cookies and login data, which are
 * credentials.
 */
const UNSTORED_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "set-cookie",
  "set-cookie2",
  "authentication-info",
]);

/**
 * The headers that describe the stored body. A 304 response does not change the headers that describe the stored body.
 * RFC 9111 §3.2.
 */
const STORED_BODY_HEADERS: ReadonlySet<string> = new Set([
  "content-length",
  "content-encoding",
  "content-range",
]);

/**
 * Returns the data to store for a response. Returns `undefined` for a response that must not be stored. RFC 9111 §3.
 */
export function toStoredResponseMetadata(
  head: HttpResponseHead,
  request: CacheableHttpRequest,
  { hasBody, requestedAtMs }: { readonly hasBody: boolean; readonly requestedAtMs: number },
): StoredResponseMetadata | undefined {
  const { version, status, reason } = head;
  const headers = removeUnstoredHeaders(head.headers);
  const varyHeaderNames = [...new Set(splitNames(headers["vary"]))].toSorted();
  if (varyHeaderNames.includes("*")) return undefined;
  const policy = createPolicy(status, headers, request, requestedAtMs);
  const hasValidator = headers["etag"] !== undefined || headers["last-modified"] !== undefined;
  if (!policy.storable() || (!hasValidator && policy.timeToLive() === 0)) return undefined;
  return { version, status, reason, headers, varyHeaderNames, hasBody, policy: policy.toObject() };
}

/**
 * Returns the data of a cache entry as `StoredResponseMetadata`. Returns `undefined` for cache data of another form.
 */
export function parseStoredResponseMetadata(data: unknown): StoredResponseMetadata | undefined {
  const { policy, headers, varyHeaderNames } = (data ?? {}) as Partial<StoredResponseMetadata>;
  return policy && headers && Array.isArray(varyHeaderNames) ? (data as StoredResponseMetadata) : undefined;
}

/**
 * Returns a digest of the request headers that the Vary header names. Two requests with the same digest select the same
 * response. RFC 9111 §4.1.
 */
export function createVaryDigest(varyHeaderNames: readonly string[], headers: readonly HttpHeader[]): string {
  if (varyHeaderNames.length === 0) return "";
  const selected = varyHeaderNames.map((name) => [
    name,
    headers.flatMap(([other, value]) => (other === name ? [value] : [])),
  ]);
  return createHash("sha256").update(JSON.stringify(selected)).digest("base64");
}

/** True when a stored response may answer a request that is not sent to the server. RFC 9111 §4, §4.2. */
export function isUsableWithoutRequest(
  { policy: state }: StoredResponseMetadata,
  { acceptsAnyStaleResponse, cacheDirectives, mode }: CacheableHttpRequest,
): boolean {
  if (acceptsAnyStaleResponse) return true;
  if (mode === "no-cache") return false;
  // http-cache-semantics revalidates even a fresh response that has must-revalidate, or proxy-revalidate in a shared
  // cache. RFC 9111 §5.2.2.2 and §5.2.2.8 require the revalidation only of stale responses. `a: true` tells
  // http-cache-semantics that the request had no Authorization header: whether the response to an authorized request
  // may be used was decided when it was stored.
  const {
    "must-revalidate": _mustRevalidate,
    "proxy-revalidate": _proxyRevalidate,
    ...directives
  } = state.rescc;
  const policy = CachePolicy.fromObject({ ...state, rescc: directives, a: true });
  // For a request with max-stale, http-cache-semantics would allow a stale response whose directives forbid its use.
  if (policy.stale() && forbidsStaleUse(state)) return false;
  const { revalidation } = policy.evaluateRequest({
    method: "GET",
    headers: { "cache-control": cacheDirectives },
  });
  return revalidation === undefined;
}

/** False when the headers of a 304 response no longer allow the cache to store the response. RFC 9111 §3. */
export function isStorableAfterRevalidation({ policy }: StoredResponseMetadata): boolean {
  return CachePolicy.fromObject(policy).storable();
}

/**
 * True for a response that must not be used when it is stale. A shared cache treats a response with `s-maxage` as one
 * with `proxy-revalidate`. RFC 9111 §4.2.4, §5.2.2.2, §5.2.2.4, §5.2.2.8, §5.2.2.10.
 */
function forbidsStaleUse({ rescc: directives, sh: isShared }: CachePolicy.CachePolicyObject): boolean {
  if (directives["must-revalidate"] || directives["no-cache"]) return true;
  return isShared && ("proxy-revalidate" in directives || "s-maxage" in directives);
}

/** True when `stale-if-error` of the request or response allows a stale response. RFC 5861 §4, RFC 9111 §4.2.4. */
export function canUseStaleAfterError(
  { policy: state }: StoredResponseMetadata,
  { cacheDirectives }: CacheableHttpRequest,
): boolean {
  if (forbidsStaleUse(state) || /\bno-cache\b/.test(cacheDirectives)) return false;
  const [, requested = "0"] = /\bstale-if-error="?(\d+)/.exec(cacheDirectives) ?? [];
  const allowedSeconds = Math.max(
    Number(requested),
    Number.parseInt(String(state.rescc["stale-if-error"]), 10) || 0,
  );
  const policy = CachePolicy.fromObject(state);
  return allowedSeconds > 0 && policy.maxAge() + allowedSeconds > policy.age();
}

/**
 * Returns the data of a stored response with the headers of a 304 response. Returns `undefined` when the 304 response
 * does not belong to the stored response. RFC 9111 §3.2, §4.3.4.
 */
export function updateStoredResponseMetadata(
  stored: StoredResponseMetadata,
  head: HttpResponseHead,
  request: CacheableHttpRequest,
  requestedAtMs: number,
): StoredResponseMetadata | undefined {
  if (!isSameRepresentation(stored.headers, head.headers)) return undefined;
  const changes = Object.entries(removeUnstoredHeaders(head.headers)).filter(
    ([name]) => !STORED_BODY_HEADERS.has(name),
  );
  // The age of the stored response does not apply to the validated response.
  const { age: _age, ...kept } = stored.headers;
  const headers = { ...kept, ...Object.fromEntries(changes) };
  const policy = createPolicy(stored.status, headers, request, requestedAtMs);
  return { ...stored, headers, policy: policy.toObject() };
}

/** False when a 304 response has a validator that differs from the validator of the stored response. */
function isSameRepresentation(
  stored: HttpResponseHead["headers"],
  received: HttpResponseHead["headers"],
): boolean {
  const [[tag], [storedTag]] = [received["etag"] ?? [], stored["etag"] ?? []];
  if (tag !== undefined) {
    if (!tag.startsWith("W/")) return tag === storedTag;
    return tag === storedTag || tag.slice(2) === storedTag;
  }
  const modified = received["last-modified"]?.[0];
  return modified === undefined || storedTag !== undefined || modified === stored["last-modified"]?.[0];
}

/** Returns the head of a stored response with its current Age. RFC 9111 §4, §5.1. */
export function createStoredResponseHeadWithAge(data: StoredResponseMetadata): HttpResponseHead {
  const { version, status, reason, headers, policy } = data;
  const age = Math.floor(CachePolicy.fromObject(policy).age());
  return { version, status, reason, headers: { ...headers, age: [String(age)] } };
}

/** True when a stored response makes the condition of the caller false. RFC 9110 §13.1.2, §13.1.3. */
export function isStoredResponseNotModified(
  { status, headers }: HttpResponseHead,
  { ifNoneMatch, ifModifiedSince }: PlanOptions,
): boolean {
  if (status !== 200) return false;
  if (ifNoneMatch !== undefined) {
    const tag = headers["etag"]?.[0]?.replace(/^W\//, "");
    const tags: readonly string[] = ifNoneMatch.match(/"[^"]*"/g) ?? [];
    return ifNoneMatch.trim() === "*" || (tag !== undefined && tags.includes(tag));
  }
  const modified = parseHttpDate(headers["last-modified"]?.at(-1));
  return ifModifiedSince !== undefined && modified !== undefined && modified <= ifModifiedSince;
}

/** Creates the http-cache-semantics state of a response that has just arrived. */
function createPolicy(
  status: number,
  headers: HttpResponseHead["headers"],
  { cacheDirectives, isShared, partitionIncludesCredentials }: CacheableHttpRequest,
  requestedAtMs: number,
): CachePolicy {
  const { vary: _vary, ...others } = headers;
  const joined = Object.fromEntries(
    Object.entries(others).map(([name, values]) => [name, values.join(", ")]),
  );
  const directives = joined["cache-control"];
  const age = computeInitialAge(headers, requestedAtMs);
  return new CachePolicy(
    // http-cache-semantics stores only whether the request had an Authorization header, which matters to a shared
    // cache.
    {
      method: "GET",
      headers: {
        "cache-control": cacheDirectives,
        ...(partitionIncludesCredentials && { authorization: "known" }),
      },
    },
    {
      status,
      headers: {
        ...joined,
        ...normalizeDates(joined),
        ...(directives !== undefined && { "cache-control": normalizeDirectives(directives) }),
        age: String(Math.round(age)),
      },
    },
    // RFC 8246 §2: immutable applies only during the lifetime of the response.
    { shared: isShared, immutableMinTimeToLive: 0 },
  );
}

/**
 * Returns the date headers as HTTP-dates. http-cache-semantics would accept other formats. An invalid Expires means a
 * time in the past (RFC 9111 §5.3), and another invalid date counts as missing.
 */
function normalizeDates(headers: Readonly<Record<string, string>>): Record<string, string> {
  const format = (name: string): string => parseHttpDate(headers[name])?.toUTCString() ?? "";
  return {
    date: format("date"),
    "last-modified": format("last-modified"),
    ...(headers["expires"] !== undefined && { expires: format("expires") || "0" }),
  };
}

/**
 * Returns the Cache-Control directives in lower case, because http-cache-semantics compares them in lower case. Keeps
 * only the first of several Cache-Control directives with the same name. A lifetime directive without a value, such as
 * max-age, is invalid and becomes 0, because http-cache-semantics would ignore it. RFC 9111 §4.2.1, §5.2.
 */
function normalizeDirectives(text: string): string {
  const directives = new Map<string, string>();
  for (const directive of text.toLowerCase().split(",")) {
    const name = directive.split("=", 1)[0]?.trim() ?? "";
    const hasNoValue = /^\s*(?:s-maxage|max-age)\s*=\s*(?:"\s*")?\s*$/.test(directive);
    if (!directives.has(name)) directives.set(name, hasNoValue ? `${name}=0` : directive);
  }
  return [...directives.values()].join(",");
}

/** Returns the age of a response when it arrived, in seconds. RFC 9111 §4.2.3. */
function computeInitialAge(headers: HttpResponseHead["headers"], requestedAtMs: number): number {
  const now = Date.now();
  const date = parseHttpDate(headers["date"]?.at(-1))?.getTime() ?? now;
  const apparentAge = Math.max(0, (now - date) / 1000);
  const stated = Number(/^\d+/.exec(headers["age"]?.[0] ?? "")?.[0] ?? 0);
  // A Date header has whole seconds, so an apparent age below one second means no age.
  return Math.max(apparentAge < 1 ? 0 : apparentAge, stated + (now - requestedAtMs) / 1000);
}

/** Removes the headers that are not stored, and the headers that Connection names. RFC 9111 §3.1. */
function removeUnstoredHeaders(headers: HttpResponseHead["headers"]): HttpResponseHead["headers"] {
  const named = new Set(splitNames(headers["connection"]));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !UNSTORED_HEADERS.has(name) && !named.has(name)),
  );
}

function splitNames(values: readonly string[] = []): string[] {
  return values
    .flatMap((value) => value.toLowerCase().split(","))
    .map((name) => name.trim())
    .filter(Boolean);
}
