import { type AccessContext, AccessError } from "@anyscheme/core";
import { resolveReference, type Url, UrlSyntaxError } from "@anyscheme/core/syntax";
import type { HttpResponse } from "./response.ts";
import { statusText } from "./status.ts";
import type { HttpUrl } from "./syntax.ts";

/**
 * The URL that a redirect leads to. RFC 9110 §10.2.2. Whether the access may go there is decided by the client. Throws
 * `protocol` without a Location or with two different ones, and `refused-redirect` for one that is no URL.
 */
export function redirectTarget(url: HttpUrl, response: HttpResponse, context: AccessContext): Url {
  const locations = new Set(response.headers["location"]);
  const [location] = locations;
  const answer = statusText(response.status, response.reason);
  if (location === undefined)
    throw new AccessError("protocol", `the server answered ${answer} without a Location`);
  if (locations.size > 1)
    throw new AccessError("protocol", `the server answered ${answer} with several Locations`);
  try {
    return context.parse(
      resolveReference(url, "path-and-search", withFragment(asUrlText(location), url.fragment)),
    );
  } catch (cause) {
    if (!(cause instanceof UrlSyntaxError)) throw cause;
    throw new AccessError("refused-redirect", `the Location of the redirect is no URL: ${cause.message}`, {
      cause,
    });
  }
}

/** Octets beyond US-ASCII, each one character in a header field, as the escapes that they are meant to be. */
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
