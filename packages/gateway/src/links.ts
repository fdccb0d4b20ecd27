import type { Client, Url } from "@anyscheme/core";
import { InternetUrl } from "@anyscheme/core/syntax";
import { pathOf, type View } from "./address.ts";

/** Where the links of a page lead: to paths of this gateway, or to the URLs themselves for a client that uses it as its proxy. */
export interface Links {
  /** The place where a URL is shown; `undefined` for one that is not linked: a login has no place in a page. */
  to(url: Url, view?: View, from?: number): string | undefined;
  /** A place of the gateway itself, as in `/~search`. */
  readonly own: (path: string) => string;
}

/**
 * Whether a URL has a login that must not be shown. RFC 1738 §3.8: the user of a telnet URL is advice, and no secret. Of a scheme
 * that nobody knows, whatever may be meant as a login is one: in `joe:secret@host.example` the scheme is `joe`.
 */
export function hasLogin(url: Url, { schemes }: Client): boolean {
  if (!(url instanceof InternetUrl)) return false;
  if (!schemes.includes(url.scheme)) return url.href.includes("@");
  return url.password !== undefined || (url.user !== undefined && url.scheme !== "telnet");
}

export function linksOf(client: Client, proxied: boolean, origin: string): Links {
  return {
    to(url, view = "page", from = 0) {
      if (hasLogin(url, client)) return undefined;
      // What a browser would perform by itself, `javascript:` above all, is no link.
      if (proxied && !client.schemes.includes(url.scheme)) return undefined;
      const text = client.format(url);
      // A proxy's client knows no other views than the thing itself.
      if (proxied) return view === "page" && from === 0 ? text : `${origin}${pathOf(text, view, from)}`;
      return pathOf(text, view, from);
    },
    own: (path) => (proxied ? `${origin}${path}` : path),
  };
}
