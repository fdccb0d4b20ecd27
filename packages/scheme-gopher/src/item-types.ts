import type { AccessCode } from "@anyscheme/core";
import { guessMediaType } from "@anyscheme/core/plugin";
import { percentDecodeText } from "@anyscheme/core/syntax";
import { decodeItemType, type GopherFields } from "./syntax.ts";

/** The format of the response for an item: text, menu, or plain bytes. */
export type ItemFormat = "text" | "menu" | "bytes";

/**
 * An item type. The field `format` is defined if Gopher servers serve this type. Otherwise `notServed` contains the
 * reason.
 */
export interface ItemType {
  /** The `kind` of a menu entry of this type. */
  readonly kind: string;
  readonly format?: ItemFormat;
  /** A media type, or a pattern such as `image/*`. The suffix of the name then determines the media type. */
  readonly mediaType?: string;
  readonly notServed?: { readonly code: AccessCode; readonly reason: string };
}

const MENU = "application/gopher-menu";

/**
 * The item types of RFC 1436 §3.8. `i` and the types after it are common practice. Gopher+ defines `:`, `;` and
 * `<`.
 */
const ITEM_TYPES: Readonly<Record<string, ItemType>> = {
  "0": { kind: "text", format: "text", mediaType: "text/plain" },
  "1": { kind: "menu", format: "menu", mediaType: MENU },
  "2": {
    kind: "phone-book",
    notServed: { code: "unsupported", reason: "a CSO phone book needs a protocol of its own" },
  },
  "3": { kind: "error", notServed: { code: "no-content", reason: "an error line of a menu has no content" } },
  "4": { kind: "binhex", format: "bytes", mediaType: "application/mac-binhex40" },
  "5": { kind: "archive", format: "bytes", mediaType: "*/*" },
  "6": { kind: "uuencoded", format: "bytes", mediaType: "text/x-uuencode" },
  "7": { kind: "search", format: "menu", mediaType: MENU },
  "8": { kind: "telnet", notServed: { code: "no-content", reason: "a telnet session has no content" } },
  "9": { kind: "binary", format: "bytes", mediaType: "*/*" },
  "+": { kind: "mirror", format: "bytes", mediaType: "*/*" },
  T: { kind: "tn3270", notServed: { code: "no-content", reason: "a tn3270 session has no content" } },
  g: { kind: "image", format: "bytes", mediaType: "image/gif" },
  I: { kind: "image", format: "bytes", mediaType: "image/*" },
  i: {
    kind: "info",
    notServed: { code: "no-content", reason: "an information line of a menu has no content" },
  },
  h: { kind: "html", format: "bytes", mediaType: "text/html" },
  s: { kind: "sound", format: "bytes", mediaType: "audio/*" },
  d: { kind: "document", format: "bytes", mediaType: "*/*" },
  p: { kind: "image", format: "bytes", mediaType: "image/png" },
  ":": { kind: "image", format: "bytes", mediaType: "image/*" },
  ";": { kind: "movie", format: "bytes", mediaType: "video/*" },
  "<": { kind: "sound", format: "bytes", mediaType: "audio/*" },
};

const UNKNOWN: ItemType = { kind: "unknown", format: "bytes", mediaType: "*/*" };

/** Returns the properties of an item type. An unknown type is read as bytes. */
export function lookupItemType(type: string): ItemType {
  return ITEM_TYPES[type] ?? UNKNOWN;
}

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
export function getExpectedResponse(fields: GopherFields, item: ExpectedResponse): ExpectedResponse {
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
export function getExpectedItem(fields: GopherFields): ExpectedResponse<ItemFormat> | undefined {
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
