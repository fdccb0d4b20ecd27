import type { Client, Url } from "@anyscheme/core";
import { hasLogin } from "../request/request-url.ts";
import { formatRoute, type View } from "../request/route.ts";

/** The links of a page. The targets are paths of this gateway, or for a proxy client the URLs themselves. */
export interface Links {
  /** Returns the link to a URL. Returns undefined for a URL that must not be linked, such as a URL with a login. */
  hrefTo(url: Url, view?: View, firstEntry?: number): string | undefined;
  /** Returns the link to a path of the gateway itself, as in `/~search`. */
  readonly gatewayHref: (path: string) => string;
}

export function createLinks(client: Client, isProxyRequest: boolean, origin: string): Links {
  return {
    hrefTo(url, view = "page", firstEntry = 0) {
      if (hasLogin(url, client)) return undefined;
      const text = client.format(url);
      if (!isProxyRequest) return formatRoute(text, view, firstEntry);
      // The browser itself would handle URLs of other schemes, such as `javascript:`.
      if (!client.schemes.includes(url.scheme)) return undefined;
      // A URL cannot select another view, so the link has a path of the gateway.
      return view === "page" && firstEntry === 0 ? text : `${origin}${formatRoute(text, view, firstEntry)}`;
    },
    gatewayHref: (path) => (isProxyRequest ? `${origin}${path}` : path),
  };
}
