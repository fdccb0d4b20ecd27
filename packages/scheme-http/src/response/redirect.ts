import { AccessError, type OperationResult } from "@anyscheme/core";
import { type AccessContext, serverText } from "@anyscheme/core/plugin";
import { resolveReference } from "@anyscheme/core/reference";
import { InternetUrl, type Url, UrlSyntaxError } from "@anyscheme/core/syntax";
import type { ResponseStart } from "../connection/request-sender.ts";
import { enter, type HttpPlan } from "../plan.ts";
import { type HttpResponse, statusText } from "./response.ts";
import type { HttpUrl } from "../syntax.ts";

/** How a redirect may be followed. */
export interface RedirectRules {
  readonly refuse?: boolean | undefined;
  /** Whether it has to stay with the origin: nobody who is told to write somewhere wants to write somewhere else. */
  readonly sameOrigin?: boolean | undefined;
}

/** Goes on to the URL that a redirect leads to, with the same operation. RFC 9110 §15.4. */
export async function followRedirect<G extends OperationResult>(
  plan: HttpPlan,
  context: Omit<AccessContext, "redirectTo"> & { redirectTo(url: Url): Promise<G> },
  { response, exchange }: ResponseStart,
  { refuse = false, sameOrigin = false }: RedirectRules = {},
): Promise<G> {
  enter(plan, context, "redirect");
  const target = redirectTarget(plan.url, response, context);
  if (refuse)
    throw new AccessError("refused-redirect", ["the server redirects to ", serverText(String(target))]);
  if (sameOrigin && !isSameOrigin(plan.url, target)) {
    const what = `a redirect of ${plan.request.method} to another origin is refused: `;
    throw new AccessError("refused-redirect", [what, serverText(String(target))]);
  }
  // The connection is given back, or closed, before another is opened; nobody reads the content of a redirect.
  exchange.discardBody();
  context.trace({ action: "redirect", text: String(target) });
  return context.redirectTo(target);
}

function isSameOrigin(one: HttpUrl, other: Url): boolean {
  return (
    other instanceof InternetUrl &&
    one.scheme === other.scheme &&
    one.effectiveHost === other.effectiveHost &&
    one.effectivePort === other.effectivePort
  );
}

/**
 * The URL that a redirect leads to. RFC 9110 §10.2.2. Whether the access may go there is decided by the client. Throws
 * `protocol` without a Location or with two different ones, and `refused-redirect` for one that is no URL.
 */
export function redirectTarget(
  url: HttpUrl,
  response: HttpResponse,
  context: Pick<AccessContext, "parse">,
): Url {
  const locations = new Set(response.headers["location"]);
  const [location] = locations;
  const answer = serverText(statusText(response.status, response.reason));
  const advice = 'the option `redirects: "return"` gives the response as it is';
  if (location === undefined)
    throw new AccessError("protocol", ["the server answered ", answer, " without a Location"], { advice });
  if (locations.size > 1)
    throw new AccessError("protocol", ["the server answered ", answer, " with several Locations"], {
      advice,
    });
  try {
    return context.parse(
      resolveReference(url, "path-and-search", withFragment(asUrlText(location), url.fragment)),
    );
  } catch (cause) {
    if (!(cause instanceof UrlSyntaxError)) throw cause;
    const what = ["the Location of the redirect is no URL: ", serverText(cause.message)];
    throw new AccessError("refused-redirect", what, { cause });
  }
}

/** Bytes beyond US-ASCII, each one character in a header field, as the escapes that they are meant to be. */
function asUrlText(location: string): string {
  return location.replace(
    /[\x80-\xff]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

// RFC 9110 §10.2.2: a Location without a fragment inherits that of the URL.
function withFragment(location: string, fragment: string | undefined): string {
  return fragment === undefined || location.includes("#") ? location : `${location}#${fragment}`;
}
