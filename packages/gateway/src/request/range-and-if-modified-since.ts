import { AccessError, type Client, type ContentResource, type Resource, type Url } from "@anyscheme/core";
import { parseHttpDate, parseSingleRangeHeader, type Range } from "@anyscheme/core/plugin";
import type { GatewayRequest } from "../http/request.ts";
import { isRawOrDownloadView, type ResourceViewName } from "./gateway-path.ts";

/** The values of the header fields `Range` and `If-Modified-Since`. */
export interface RangeAndIfModifiedSince {
  readonly range?: Range | undefined;
  readonly ifModifiedSince?: Date | undefined;
}

/**
 * Parses the fields `Range` and `If-Modified-Since` of a request. Ignores the range in a request for a page, and
 * for a scheme that supports no ranges.
 */
export function parseRangeAndIfModifiedSince(
  request: GatewayRequest,
  view: ResourceViewName,
  url: Url,
  client: Client,
): RangeAndIfModifiedSince {
  const range = isRawOrDownloadView(view) ? parseRequestRange(request) : undefined;
  // The gateway sends no entity tags, so no tag in an If-None-Match field matches. The gateway treats a request with
  // If-None-Match as unconditional, because this field replaces If-Modified-Since. RFC 9110 §13.1.3.
  const ifModifiedSince =
    request.getHeader("if-none-match") === undefined
      ? parseHttpDate(request.getHeader("if-modified-since"))
      : undefined;
  return { range: range && supportsRange(client, url, range) ? range : undefined, ifModifiedSince };
}

function parseRequestRange(request: GatewayRequest): Range | undefined {
  // The gateway sends the whole content to a client with an If-Range field, as if the field did not match. RFC 9110
  // §13.1.5.
  if (request.method !== "GET" || request.getHeader("if-range") !== undefined) return undefined;
  return parseSingleRangeHeader(request.getHeader("range"));
}

function supportsRange(client: Client, url: Url, range: Range): boolean {
  try {
    client.plan(url, { range });
    return true;
  } catch (error) {
    // The gateway reports an invalid URL later, when it dereferences the URL.
    if (error instanceof AccessError) return false;
    throw error;
  }
}

/** Returns the value of `Content-Range`, or undefined for a range of unknown length. RFC 9110 §14.4. */
export function formatContentRange(
  { size, totalSize }: ContentResource,
  { start }: Range,
): string | undefined {
  if (size === undefined || size === 0) return undefined;
  return `bytes ${start}-${start + size - 1}/${totalSize ?? "*"}`;
}

/** Throws `out-of-range` for a range that begins at the end of the content. RFC 9110 §15.5.17. */
export function checkRangeSatisfiable(resource: Resource, { range }: RangeAndIfModifiedSince): void {
  if (range && resource.kind === "content" && resource.size === 0)
    throw new AccessError("out-of-range", "The range begins at the end of the content.", {
      totalSize: range.start,
    });
}
