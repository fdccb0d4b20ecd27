// The invalidation of stored responses after a request that changes a resource. RFC 9111 §4.4.
import { type AccessContext, sameOrigin } from "@anyscheme/core/plugin";
import type { HttpHopInputs } from "../http-hop-inputs.ts";
import { formatRequestUrlWithoutLogin, HttpRequest } from "../request/http-request-head.ts";
import { parseRedirectTarget } from "../response/redirect.ts";
import type { HttpResponseHead } from "../response/response-head.ts";
import { HttpUrl } from "../syntax.ts";

/**
 * Deletes the stored responses that a successful request with an unsafe method has changed: those of its URL, and those
 * of Location and Content-Location with the same origin. RFC 9111 §4.4.
 */
export async function invalidateStoredResponses(
  head: HttpResponseHead,
  request: HttpRequest,
  { plan, context }: HttpHopInputs,
): Promise<void> {
  const { url } = plan;
  const { cache } = context;
  if (!cache || head.status < 200 || head.status >= 400) return;
  const keys = new Set([formatRequestUrlWithoutLogin(url, request)]);
  for (const name of ["location", "content-location"]) {
    for (const value of head.headers[name] ?? []) {
      const target = parseLocation(value, head, url, context);
      if (target instanceof HttpUrl && sameOrigin(url, target))
        keys.add(formatRequestUrlWithoutLogin(target, HttpRequest.create(target)));
    }
  }
  for (const key of keys) await cache.invalidate(key);
}

function parseLocation(
  location: string,
  head: HttpResponseHead,
  url: HttpUrl,
  context: Pick<AccessContext, "parse">,
): unknown {
  try {
    return parseRedirectTarget(url, { ...head, headers: { location: [location] } }, context);
  } catch {
    return undefined;
  }
}
