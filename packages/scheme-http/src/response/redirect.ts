import { AccessError } from "@anyscheme/core";
import {
  type AccessContext,
  type OperationResult,
  type RedirectChanges,
  sameOrigin,
  createMaskableServerText,
} from "@anyscheme/core/plugin";
import { resolveReference } from "@anyscheme/core/reference";
import { type Url, UrlSyntaxError } from "@anyscheme/core/syntax";
import { REQUEST_BODY_HEADERS, HEADERS_WITHOUT_SECRETS } from "../headers.ts";
import type { HttpResponseReader } from "../connection/http-exchange.ts";
import type { HttpHopInputs } from "../http-hop-inputs.ts";
import type { HttpPlan } from "../plan.ts";
import type { HttpUrl } from "../syntax.ts";
import { type HttpResponseHead, formatStatus } from "./response-head.ts";

/**
 * Repeats the operation with the URL in the Location header. RFC 9110 §15.4. With `requireSameOrigin`, as for PUT and
 * DELETE, throws `refused-redirect` for a redirect to another origin.
 */
export async function followHttpRedirect<R extends OperationResult>(
  { plan, context, requestOptions }: HttpHopInputs<R>,
  reader: HttpResponseReader,
  { requireSameOrigin = false }: { readonly requireSameOrigin?: boolean } = {},
): Promise<R> {
  context.beginStep(plan.phases.redirect);
  const target = parseRedirectTarget(plan.url, reader.responseHead, context);
  if (requestOptions.redirect === "error")
    throw new AccessError("refused-redirect", [
      "the server redirects to ",
      createMaskableServerText(String(target)),
    ]);
  if (requireSameOrigin && !sameOrigin(plan.url, target)) {
    const reason = `a redirect of ${plan.request.method} to another origin is refused: `;
    throw new AccessError("refused-redirect", [reason, createMaskableServerText(String(target))]);
  }
  const changes = planRedirect(plan, reader.responseHead, target);
  // The client releases the connection before the next request acquires one.
  reader.releaseOrClose();
  context.trace({ action: "redirect", text: String(target) });
  return context.redirectTo(target, undefined, changes);
}

/**
 * Returns the changes of the request at a redirect. Status 303, and 301 or 302 after a POST, continue with GET and
 * without a body. <https://fetch.spec.whatwg.org/#http-redirect-fetch> Throws `refused-redirect` for a body that cannot
 * be sent again, and for another method than GET and HEAD at a redirect to another scheme.
 */
function planRedirect(
  { url, request, body }: HttpPlan,
  { status }: HttpResponseHead,
  target: Url,
): RedirectChanges | undefined {
  const { method, callerHeaders } = request;
  const isSafe = method === "GET" || method === "HEAD";
  const becomesGet = status === 303 ? !isSafe : method === "POST" && (status === 301 || status === 302);
  if (status !== 303 && body && !body.isRepeatable)
    throw new AccessError("refused-redirect", "the server redirected, and the body cannot be sent again", {
      advice: "pass the body as a string, bytes or a Blob instead of a stream",
    });
  if (target.scheme !== "http" && target.scheme !== "https") {
    if (isSafe || becomesGet) return undefined;
    throw new AccessError("refused-redirect", `a redirect of ${method} to ${target.scheme} is refused`);
  }
  const isOtherOrigin = !sameOrigin(url, target);
  const headers = callerHeaders.filter(
    ([name]) =>
      (!isOtherOrigin || HEADERS_WITHOUT_SECRETS.has(name)) &&
      (!becomesGet || !REQUEST_BODY_HEADERS.has(name)),
  );
  return {
    options: {
      ...(callerHeaders.length > 0 && { headers }),
      ...(becomesGet && { method: "GET", body: undefined }),
      // The request to the redirect target has the same body: the same bytes, and the same boundary of a form.
      ...(body && !becomesGet && { body }),
    },
    isNewRequest: becomesGet,
  };
}

/**
 * Returns the URL in the Location header. RFC 9110 §10.2.2. The client, not this function, checks the redirect target
 * against the policy. Throws `protocol` without a Location or with two different Locations, and `refused-redirect` for
 * an invalid URL.
 */
export function parseRedirectTarget(
  url: HttpUrl,
  head: HttpResponseHead,
  context: Pick<AccessContext, "parse">,
): Url {
  const locations = new Set(head.headers["location"]);
  const [location] = locations;
  if (location === undefined || locations.size > 1) {
    const count = location === undefined ? "without a Location" : "with several Locations";
    const status = createMaskableServerText(formatStatus(head));
    const advice = 'set the option `redirect: "manual"` to get the response itself';
    throw new AccessError("protocol", ["the server answered ", status, ` ${count}`], { advice });
  }
  try {
    // The login of the caller's URL is no part of the redirect's URL.
    const base = { scheme: url.scheme, href: url.href.replace(/^([^/?#]*\/\/)[^/?#]*@/, "$1") };
    const reference = inheritFragment(percentEncodeLatin1(location), url.fragment);
    return context.parse(resolveReference(base, "path-and-search", reference));
  } catch (cause) {
    if (!(cause instanceof UrlSyntaxError)) throw cause;
    const reason = [
      "the Location of the redirect is not a valid URL: ",
      createMaskableServerText(cause.message),
    ];
    throw new AccessError("refused-redirect", reason, { cause });
  }
}

/** Percent-encodes the non-ASCII bytes of a header value. Each character of the header value represents one byte. */
function percentEncodeLatin1(location: string): string {
  return location.replace(
    /[\x80-\xff]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

// RFC 9110 §10.2.2: a Location without a fragment inherits the fragment of the URL.
function inheritFragment(location: string, fragment: string | undefined): string {
  return fragment === undefined || location.includes("#") ? location : `${location}#${fragment}`;
}
