import { percentEncode } from "@anyscheme/core/syntax";

/** How something is shown: as a page, as it is, to be saved, or a listing in another order. */
export type View = "page" | "raw" | "download" | "name" | "size" | "date";

/** What a request asks for. */
export interface Address {
  readonly view: View;
  /** The text of a URL. */
  readonly url: string;
  /** The entry of a listing at which the page begins, from 0. */
  readonly from: number;
}

/** Schemes without `//`: their URLs name no host first. */
const OPAQUE: ReadonlySet<string> = new Set(["news", "mailto"]);
const VIEWS: ReadonlySet<string> = new Set<View>(["raw", "download", "name", "size", "date"]);

/** `/gopher/host/1/x`, `/~raw/gopher/host/1/x`, `/~size+200/ftp/host/pub/` and, for what browsers would change, `/~page?url=…`. */
const PATH = /^\/(?:~([a-z]+)(?:\+(\d{1,9}))?\/)?([A-Za-z0-9][A-Za-z0-9+.-]*)(?:\/(.*))?$/s;
const QUERY = /^\/~([a-z]+)(?:\+(\d{1,9}))?\?url=([^&]*)$/;

/** The address of a request target; `undefined` for one that names nothing to show. */
export function addressOf(target: string): Address | undefined {
  const query = QUERY.exec(target);
  if (query) {
    const [, view = "", from, encoded = ""] = query;
    const url = unescapeText(encoded);
    return view === "page" || VIEWS.has(view)
      ? { view: view as View, url, from: Number(from ?? 0) }
      : undefined;
  }
  const [, view, from, scheme, rest] = PATH.exec(target) ?? [];
  if (scheme === undefined || (view !== undefined && !VIEWS.has(view) && view !== "page")) return undefined;
  const marker = OPAQUE.has(scheme.toLowerCase()) ? "" : "//";
  const url = `${scheme}:${marker}${rest ?? ""}`;
  return { view: (view as View | undefined) ?? "page", url, from: Number(from ?? 0) };
}

/** The path of this gateway under which a URL is shown. The URL is as RFC 1738 writes it. */
export function pathOf(url: string, view: View = "page", from = 0): string {
  const prefix = view === "page" && from === 0 ? "" : `/~${view}${from > 0 ? `+${from}` : ""}`;
  const colon = url.indexOf(":");
  const scheme = url.slice(0, colon);
  const opaque = OPAQUE.has(scheme.toLowerCase());
  const rest = opaque ? url.slice(colon + 1) : url.slice(colon + 3);
  const plain = opaque ? !url.startsWith("//", colon + 1) : url.startsWith("//", colon + 1);
  if (plain && !changedByBrowsers(rest) && /^[A-Za-z0-9]/.test(scheme)) return `${prefix}/${scheme}/${rest}`;
  return `${prefix === "" ? "/~page" : prefix}?url=${percentEncode(url).replaceAll("+", "%2B")}`;
}

// Browsers resolve dot segments, escaped ones too, drop what follows a "#", and escape "'" in a query.
function changedByBrowsers(rest: string): boolean {
  return /(?:^|\/)(?:\.|%2e){1,2}(?:[/?]|$)|[#\\]|\?.*'/is.test(rest);
}

/** The text of a form's value: escapes, and "+" for a blank. What is no escape stays. */
export function unescapeText(value: string): string {
  return new URLSearchParams(`v=${value.replaceAll("&", "%26")}`).get("v") ?? "";
}
