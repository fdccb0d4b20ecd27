import type { AccessErrorCode } from "@anyscheme/core";
import { guessMediaType } from "@anyscheme/core/plugin";
import { percentDecodeText } from "@anyscheme/core/syntax";
import { decodeGopherItemType, type GopherPathFields } from "./syntax.ts";

/** The format of the response for an item: text, menu, or plain bytes. */
export type GopherItemFormat = "text" | "menu" | "bytes";

/**
 * An item type. The field `format` is defined if Gopher servers serve items of the type. For a type that Gopher servers
 * do not serve, the field `notServedError` has the reason.
 */
export interface GopherItemTypeInfo {
  /** The `kind` of a menu entry of this type. */
  readonly kind: string;
  readonly format?: GopherItemFormat;
  /**
   * A media type, or the beginning of a media type such as `image/`. The file extension in the selector determines the
   * rest of the media type.
   */
  readonly mediaType?: string;
  readonly notServedError?: { readonly code: AccessErrorCode; readonly reason: string };
}

const GOPHER_MENU_MEDIA_TYPE = "application/gopher-menu";

/**
 * The item types of RFC 1436 §3.8. RFC 1436 does not define the type `i` and the types below it in the table, but these
 * types are common. Gopher+ defines the types `:`, `;` and `<`.
 */
const ITEM_TYPES: Readonly<Record<string, GopherItemTypeInfo>> = {
  "0": { kind: "text", format: "text", mediaType: "text/plain" },
  "1": { kind: "menu", format: "menu", mediaType: GOPHER_MENU_MEDIA_TYPE },
  "2": {
    kind: "phone-book",
    notServedError: { code: "unsupported", reason: "a CSO phone book needs a protocol of its own" },
  },
  "3": {
    kind: "error",
    notServedError: { code: "no-content", reason: "an error line of a menu has no content" },
  },
  "4": { kind: "binhex", format: "bytes", mediaType: "application/mac-binhex40" },
  "5": { kind: "archive", format: "bytes" },
  "6": { kind: "uuencoded", format: "bytes", mediaType: "text/x-uuencode" },
  "7": { kind: "search", format: "menu", mediaType: GOPHER_MENU_MEDIA_TYPE },
  "8": { kind: "telnet", notServedError: { code: "no-content", reason: "a telnet session has no content" } },
  "9": { kind: "binary", format: "bytes" },
  "+": { kind: "mirror", format: "bytes" },
  T: { kind: "tn3270", notServedError: { code: "no-content", reason: "a tn3270 session has no content" } },
  g: { kind: "image", format: "bytes", mediaType: "image/gif" },
  I: { kind: "image", format: "bytes", mediaType: "image/" },
  i: {
    kind: "info",
    notServedError: { code: "no-content", reason: "an information line of a menu has no content" },
  },
  h: { kind: "html", format: "bytes", mediaType: "text/html" },
  s: { kind: "sound", format: "bytes", mediaType: "audio/" },
  d: { kind: "document", format: "bytes" },
  p: { kind: "image", format: "bytes", mediaType: "image/png" },
  ":": { kind: "image", format: "bytes", mediaType: "image/" },
  ";": { kind: "movie", format: "bytes", mediaType: "video/" },
  "<": { kind: "sound", format: "bytes", mediaType: "audio/" },
};

const UNKNOWN_ITEM_TYPE: GopherItemTypeInfo = { kind: "unknown", format: "bytes" };

/** Returns the properties of a Gopher item type. Items of an unknown type are binary. */
export function lookupGopherItemTypeInfo(type: string): GopherItemTypeInfo {
  return ITEM_TYPES[type] ?? UNKNOWN_ITEM_TYPE;
}

/**
 * The kind of a response: an item, attributes of an item, attributes of all items of a directory, or a form. The
 * client itself creates the form `search-form` for a search without a search string.
 */
export type GopherResponseFormat = GopherItemFormat | "attributes" | "items" | "form" | "search-form";

/** The expected format and media type of a Gopher response. */
export interface GopherFormatAndMediaType<F = GopherResponseFormat> {
  readonly format: F;
  readonly mediaType: string;
}

/**
 * Returns the expected format and media type of the response of a server with Gopher+. The argument `item` is the
 * format and media type of the response of a server without Gopher+. RFC 1738 §3.4.4–3.4.8.
 */
export function predictFormatOnGopherPlusServer(
  fields: GopherPathFields,
  item: GopherFormatAndMediaType,
): GopherFormatAndMediaType {
  if (fields.search === undefined)
    return decodeGopherItemType(fields) === "7" ? { format: "search-form", mediaType: item.mediaType } : item;
  const plus = fields.plus === undefined ? "" : percentDecodeText(fields.plus);
  if (plus.startsWith("!")) return { format: "attributes", mediaType: "text/plain" };
  if (plus.startsWith("$")) return { format: "items", mediaType: "application/gopher+-menu" };
  if (plus === "?") return { format: "form", mediaType: "text/plain" };
  const view = /^\+([^ \t]+)/.exec(plus)?.[1]?.toLowerCase();
  if (view === undefined) return item;
  // A media type consists of visible characters of US-ASCII, but the author of a URL may write any view name.
  if (!/^[!-~]+$/.test(view)) return { format: "bytes", mediaType: "application/octet-stream" };
  if (view === "application/gopher-menu") return { format: "menu", mediaType: view };
  if (view === "application/gopher+-menu") return { format: "items", mediaType: view };
  return { format: view.startsWith("text/") ? "text" : "bytes", mediaType: view };
}

/**
 * Returns the expected format and media type of the response of a server without Gopher+, by the type of the item.
 * Returns `undefined` for an item that Gopher servers do not serve.
 */
export function predictItemFormatAndMediaType(
  fields: GopherPathFields,
): GopherFormatAndMediaType<GopherItemFormat> | undefined {
  const { format, mediaType = "" } = lookupGopherItemTypeInfo(decodeGopherItemType(fields));
  return format && { format, mediaType: resolveItemMediaType(mediaType, fields) };
}

/**
 * Completes the beginning of a media type, such as `image/`, by the file extension in the selector. Selectors are
 * opaque, but nearly all servers use file paths.
 */
function resolveItemMediaType(beginning: string, { selector = "" }: GopherPathFields): string {
  if (/[^/]$/.test(beginning)) return beginning;
  const guess = guessMediaType(percentDecodeText(selector).split("/").at(-1));
  return guess?.startsWith(beginning) ? guess : "application/octet-stream";
}
