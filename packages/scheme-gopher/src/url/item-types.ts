import type { AccessCode } from "@anyscheme/core";

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
