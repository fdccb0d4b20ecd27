import { percentEncode } from "@anyscheme/core/syntax";

/** The view of a resource: a page, the raw bytes, a download, or a page with a sorted listing. */
export type ResourceViewName = "page" | "raw" | "download" | "name" | "size" | "date";

/** True for a view that has the bytes of the server unchanged. */
export function isRawOrDownloadView(view: ResourceViewName): boolean {
  return view === "raw" || view === "download";
}

export interface GatewayPath {
  readonly view: ResourceViewName;
  /** The text of the URL that the gateway shows. */
  readonly url: string;
  /** The index of the first directory entry on the page, counted from 0. */
  readonly firstEntryIndex: number;
}

const SCHEMES_WITHOUT_SLASHES: ReadonlySet<string> = new Set(["news", "snews", "mailto"]);
const RESOURCE_VIEW_NAMES: ReadonlySet<string> = new Set<ResourceViewName>([
  "page",
  "raw",
  "download",
  "name",
  "size",
  "date",
]);

/**
 * Matches a path that contains a URL, as in `/gopher/host/1/x`, `/~raw/gopher/host/1/x` and
 * `/~size+200/ftp/host/pub/`.
 */
const GATEWAY_PATH_PATTERN = /^\/(?:~([a-z]+)(?:\+(\d{1,9}))?\/)?([A-Za-z0-9][A-Za-z0-9+.-]*)(?:\/(.*))?$/s;
/**
 * Matches a path with a URL in its query, as in `/~page?url=…`. The gateway puts a URL into the query if a browser
 * would change the URL in a path.
 */
const GATEWAY_QUERY_PATTERN = /^\/~([a-z]+)(?:\+(\d{1,9}))?\?url=([^&]*)$/;

/** Parses the target of a request to the gateway. Returns undefined for a path without a URL. */
export function parseGatewayPath(target: string): GatewayPath | undefined {
  const query = GATEWAY_QUERY_PATTERN.exec(target);
  const [, view = "page", firstEntry = "0"] = query ?? GATEWAY_PATH_PATTERN.exec(target) ?? [];
  if (!RESOURCE_VIEW_NAMES.has(view)) return undefined;
  const url = query ? decodeFormValue(query[3] ?? "") : parseUrlInPath(target);
  return url === undefined
    ? undefined
    : { view: view as ResourceViewName, url, firstEntryIndex: Number(firstEntry) };
}

function parseUrlInPath(target: string): string | undefined {
  const [, , , scheme, rest = ""] = GATEWAY_PATH_PATTERN.exec(target) ?? [];
  if (scheme === undefined) return undefined;
  return `${scheme}:${SCHEMES_WITHOUT_SLASHES.has(scheme.toLowerCase()) ? "" : "//"}${rest}`;
}

/** Returns the path of this gateway that shows a URL. The caller must pass a URL that is formatted as in RFC 1738. */
export function formatGatewayPath(url: string, view: ResourceViewName = "page", firstEntry = 0): string {
  const prefix =
    view === "page" && firstEntry === 0 ? "" : `/~${view}${firstEntry > 0 ? `+${firstEntry}` : ""}`;
  const colon = url.indexOf(":");
  const scheme = url.slice(0, colon);
  const hasSlashes = url.startsWith("//", colon + 1);
  const rest = url.slice(colon + (hasSlashes ? 3 : 1));
  const fitsPath =
    hasSlashes !== SCHEMES_WITHOUT_SLASHES.has(scheme.toLowerCase()) && /^[A-Za-z0-9]/.test(scheme);
  if (fitsPath && !isPathRewrittenByBrowsers(rest)) return `${prefix}/${scheme}/${rest}`;
  return `${prefix === "" ? "/~page" : prefix}?url=${percentEncode(url).replaceAll("+", "%2B")}`;
}

/**
 * True for a gateway path that a browser would change. Browsers resolve dot segments and `%2e`, read a backslash as
 * "/", remove a fragment, and escape "'" in a query.
 */
function isPathRewrittenByBrowsers(rest: string): boolean {
  const search = rest.indexOf("?");
  if (search >= 0 && rest.includes("'", search)) return true;
  return /(?:^|\/)(?:\.|%2e){1,2}(?:[/?]|$)|[#\\]/i.test(rest);
}

/** Decodes a form value: percent escapes, and "+" as a space. Keeps invalid escapes unchanged. */
export function decodeFormValue(value: string): string {
  return new URLSearchParams(`v=${value.replaceAll("&", "%26")}`).get("v") ?? "";
}
