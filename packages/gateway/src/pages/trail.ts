import type { Client, Url } from "@anyscheme/core";
import type { Links } from "../links.ts";
import type { Crumb } from "./layout.ts";

/** Schemes whose path goes down from a host. */
const HIERARCHICAL: ReadonlySet<string> = new Set(["ftp", "http", "https", "file", "prospero"]);

/** Schemes whose path begins with a character that says what it is. RFC 1738 §3.4. */
const ITEMS: ReadonlySet<string> = new Set(["gopher", "gophers"]);

/** The way to a URL: its host, and in a hierarchy every directory above it. The last one is the URL itself. */
export function trailOf(url: Url, client: Client, links: Links): Crumb[] {
  const text = client.format(url);
  const [, start = "", path = ""] = /^([^:]+:\/\/[^/]*)(\/[^?]*)?/.exec(text) ?? [];
  if (start === "") return [{ text }];
  const crumbs: Crumb[] = [{ text: start, href: hrefOf(`${start}/`, client, links) }];
  const segments = HIERARCHICAL.has(url.scheme) ? path.split("/").slice(1) : [];
  const names = segments.at(-1) === "" ? segments.slice(0, -1) : segments;
  for (const [index, segment] of names.entries()) {
    const above = `${start}/${segments.slice(0, index + 1).join("/")}/`;
    const last = index === names.length - 1;
    // A segment may be empty; a link needs a name.
    const name = segment === "" ? "/" : shown(segment);
    crumbs.push({ text: name, href: last ? undefined : hrefOf(above, client, links) });
  }
  const rest = ITEMS.has(url.scheme) ? itemOf(path) : path.slice(1);
  if (names.length === 0 && rest !== "" && rest !== "/") crumbs.push({ text: shown(rest) });
  return crumbs;
}

/** The selector of an item, and the words that were searched for. RFC 1738 §3.4.1. */
function itemOf(path: string): string {
  const [selector = "", words = ""] = path.slice(2).split("%09");
  return words === "" ? selector : `${selector} ${words}`;
}

function hrefOf(text: string, client: Client, links: Links): string | undefined {
  const { url } = client.tryParse(text);
  return url && links.to(url);
}

function shown(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
