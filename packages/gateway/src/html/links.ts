import type { Client, Url } from "@anyscheme/core";
import { hasLogin } from "../request/request-url.ts";
import { formatRoute, type View } from "../request/route.ts";

/** Makes the links of a page. They lead to paths of this gateway, or for a proxy client to the URLs themselves. */
export interface Links {
  /** Returns undefined for a URL that is not linked, such as one with a login. */
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
      // The browser itself would run other schemes, such as `javascript:`.
      if (!client.schemes.includes(url.scheme)) return undefined;
      // A URL cannot name another view, so its link leads to the gateway.
      return view === "page" && firstEntry === 0 ? text : `${origin}${formatRoute(text, view, firstEntry)}`;
    },
    gatewayHref: (path) => (isProxyRequest ? `${origin}${path}` : path),
  };
}
