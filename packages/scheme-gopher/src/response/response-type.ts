import { guessMediaType } from "@anyscheme/core/plugin";
import { percentDecodeText } from "@anyscheme/core/syntax";
import { type ItemFormat, lookupItemType } from "../url/item-types.ts";
import { decodeItemType, type GopherFields } from "../url/syntax.ts";

/**
 * The kind of a response: an item, attributes of an item, attributes of all items of a directory, or a form. A
 * search without a search string has the local form `search-form` and is not requested.
 */
export type ResponseFormat = ItemFormat | "attributes" | "items" | "form" | "search-form";

/** The expected format and media type of a response. */
export interface ExpectedResponse<F = ResponseFormat> {
  readonly format: F;
  readonly mediaType: string;
}

/** Returns the response to expect for a URL whose item is `item`. RFC 1738 §3.4.4–3.4.8. */
export function expectedResponse(fields: GopherFields, item: ExpectedResponse): ExpectedResponse {
  if (fields.search === undefined)
    return decodeItemType(fields) === "7" ? { format: "search-form", mediaType: item.mediaType } : item;
  const plus = fields.plus === undefined ? "" : percentDecodeText(fields.plus);
  if (plus.startsWith("!")) return { format: "attributes", mediaType: "text/plain" };
  if (plus.startsWith("$")) return { format: "items", mediaType: "application/gopher+-menu" };
  if (plus === "?") return { format: "form", mediaType: "text/plain" };
  const view = /^\+([^ \t]+)/.exec(plus)?.[1]?.toLowerCase();
  if (view === undefined) return item;
  if (view === "application/gopher-menu") return { format: "menu", mediaType: view };
  if (view === "application/gopher+-menu") return { format: "items", mediaType: view };
  return { format: view.startsWith("text/") ? "text" : "bytes", mediaType: view };
}

/**
 * Returns the format of the item itself, by its type. Returns `undefined` for an item that Gopher servers do not
 * serve.
 */
export function expectedItem(fields: GopherFields): ExpectedResponse<ItemFormat> | undefined {
  const { format, mediaType = "*/*" } = lookupItemType(decodeItemType(fields));
  return format && { format, mediaType: resolveMediaType(mediaType, fields) };
}

/**
 * Resolves a pattern such as `image/*` by the suffix of the selector. Selectors are opaque, but nearly all servers
 * use paths.
 */
function resolveMediaType(pattern: string, { selector = "" }: GopherFields): string {
  if (!pattern.endsWith("/*")) return pattern;
  const guess = guessMediaType(percentDecodeText(selector).split("/").at(-1));
  const prefix = pattern === "*/*" ? "" : pattern.slice(0, -1);
  return guess?.startsWith(prefix) ? guess : "application/octet-stream";
}
