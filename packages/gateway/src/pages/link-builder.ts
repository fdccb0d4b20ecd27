import type { Client, Url } from "@anyscheme/core";
import { hasLoginToHide } from "../request/request-url.ts";
import { formatGatewayPath, type ResourceViewName } from "../request/gateway-path.ts";
import type { PageLink } from "./page-layout.ts";

/** Builds the links of a page. The target of a link is a path of this gateway, or the URL itself for a proxy client. */
export interface LinkBuilder {
  /**
   * Returns the href of a link to the page or another view of a URL. Returns undefined for a URL that must not be a
   * link, such as a URL with a password.
   */
  formatUrlHref(url: Url, view?: ResourceViewName, firstEntry?: number): string | undefined;
  /** Returns the target of a link to a path of the gateway itself, such as `/~search`. */
  readonly formatGatewayHref: (path: string) => string;
}

export function createLinkBuilder(client: Client, isProxyRequest: boolean, origin: string): LinkBuilder {
  return {
    formatUrlHref(url, view = "page", firstEntry = 0) {
      if (hasLoginToHide(url, client)) return undefined;
      const text = client.format(url);
      if (!isProxyRequest) return formatGatewayPath(text, view, firstEntry);
      // The gateway creates no link to a URL that the browser itself would open, such as a `javascript:` URL.
      if (!client.schemes.includes(url.scheme)) return undefined;
      // A URL cannot select a view, so the target of a link to another view is a path of the gateway.
      return view === "page" && firstEntry === 0
        ? text
        : `${origin}${formatGatewayPath(text, view, firstEntry)}`;
    },
    formatGatewayHref: (path) => (isProxyRequest ? `${origin}${path}` : path),
  };
}

/** The schemes whose URL paths consist of directories. */
const HIERARCHICAL_SCHEMES: ReadonlySet<string> = new Set(["ftp", "http", "https", "file", "prospero"]);

/** The schemes whose URL paths begin with a Gopher item type. RFC 1738 §3.4. */
const ITEM_TYPE_SCHEMES: ReadonlySet<string> = new Set(["gopher", "gophers"]);

/**
 * The maximum numbers of path segments with a crumb at the start and at the end of a path. One crumb without a link
 * shows the segments between the first and the last ones, because a server may redirect to a path of many thousand
 * segments.
 */
const MAX_FIRST_CRUMBS = 16;
const MAX_LAST_CRUMBS = 16;

/**
 * The maximum length of the URL of a breadcrumb's link. Each breadcrumb's link repeats the whole path up to its
 * directory.
 */
const MAX_CRUMB_URL_LENGTH = 4_096;

/**
 * Returns links to the host of a URL, and to the directories that contain the resource. The last breadcrumb, which
 * names the resource itself, has no link. The breadcrumbs in the middle of a long path, and of directories with a long
 * URL, have no link.
 */
export function createBreadcrumbs(url: Url, client: Client, links: LinkBuilder): PageLink[] {
  const text = client.format(url);
  const [, start = "", path = ""] = /^([^:]+:\/\/[^/]*)(\/[^?]*)?/.exec(text) ?? [];
  if (start === "") return [{ text }];
  const crumbs: PageLink[] = [{ text: start, href: createHrefFromText(`${start}/`, client, links) }];
  const segments = HIERARCHICAL_SCHEMES.has(url.scheme) ? path.split("/").slice(1) : [];
  const names = segments.at(-1) === "" ? segments.slice(0, -1) : segments;
  const omitted = { from: MAX_FIRST_CRUMBS, to: names.length - MAX_LAST_CRUMBS };
  let end = start.length;
  for (const [index, segment] of names.entries()) {
    end += 1 + segment.length;
    if (index === omitted.from && index < omitted.to)
      crumbs.push({ text: names.slice(index, omitted.to).map(decodePathSegment).join("/") });
    if (index >= omitted.from && index < omitted.to) continue;
    const hasLink = index < names.length - 1 && end < MAX_CRUMB_URL_LENGTH;
    // The breadcrumb of an empty path segment is shown as a slash, because a link needs a text.
    const name = segment === "" ? "/" : decodePathSegment(segment);
    const href = hasLink ? createHrefFromText(`${text.slice(0, end)}/`, client, links) : undefined;
    crumbs.push({ text: name, href });
  }
  const rest = ITEM_TYPE_SCHEMES.has(url.scheme) ? formatGopherSelector(path) : path.slice(1);
  if (names.length === 0 && rest !== "" && rest !== "/") crumbs.push({ text: decodePathSegment(rest) });
  return crumbs;
}

/** Returns the Gopher selector in a URL path, followed by the search words. RFC 1738 §3.4.1. */
function formatGopherSelector(path: string): string {
  const [selector = "", words = ""] = path.slice(2).split("%09");
  return words === "" ? selector : `${selector} ${words}`;
}

function createHrefFromText(text: string, client: Client, links: LinkBuilder): string | undefined {
  const { url } = client.tryParse(text);
  return url && links.formatUrlHref(url);
}

function decodePathSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
