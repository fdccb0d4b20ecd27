import type { AccessCode } from "@anyscheme/core";

/** How the answer to a selector is read: as text, as a menu, or as the bytes it is. */
export type Answer = "text" | "menu" | "bytes";

/** An item type: one that a Gopher server answers, or one that leads elsewhere. */
export interface ItemType {
  /** One word for it, the `kind` of a menu's entries. */
  readonly kind: string;
  /** Absent for items that no Gopher server answers. */
  readonly answer?: Answer;
  /** A media type. With `*` for its second half, or both: the one that the suffix of the name stands for, if it fits. */
  readonly mediaType?: string;
  /** Why an item without an answer cannot be had. */
  readonly refusal?: readonly [code: AccessCode, what: string];
}

const MENU = "application/gopher-menu";

/** RFC 1436 §3.8; `i` and what follows it by common practice, `:` `;` `<` by Gopher+. */
const ITEM_TYPES: Readonly<Record<string, ItemType>> = {
  "0": { kind: "text", answer: "text", mediaType: "text/plain" },
  "1": { kind: "menu", answer: "menu", mediaType: MENU },
  "2": { kind: "phone-book", refusal: ["unsupported", "a CSO phone book is asked by a protocol of its own"] },
  "3": { kind: "error", refusal: ["no-content", "an error line of a menu leads nowhere"] },
  "4": { kind: "binhex", answer: "bytes", mediaType: "application/mac-binhex40" },
  "5": { kind: "archive", answer: "bytes", mediaType: "*/*" },
  "6": { kind: "uuencoded", answer: "bytes", mediaType: "text/x-uuencode" },
  "7": { kind: "search", answer: "menu", mediaType: MENU },
  "8": { kind: "telnet", refusal: ["no-content", "a telnet session is no data object"] },
  "9": { kind: "binary", answer: "bytes", mediaType: "*/*" },
  "+": { kind: "mirror", answer: "bytes", mediaType: "*/*" },
  T: { kind: "tn3270", refusal: ["no-content", "a tn3270 session is no data object"] },
  g: { kind: "image", answer: "bytes", mediaType: "image/gif" },
  I: { kind: "image", answer: "bytes", mediaType: "image/*" },
  i: { kind: "info", refusal: ["no-content", "an information line of a menu leads nowhere"] },
  h: { kind: "html", answer: "bytes", mediaType: "text/html" },
  s: { kind: "sound", answer: "bytes", mediaType: "audio/*" },
  d: { kind: "document", answer: "bytes", mediaType: "*/*" },
  p: { kind: "image", answer: "bytes", mediaType: "image/png" },
  ":": { kind: "image", answer: "bytes", mediaType: "image/*" },
  ";": { kind: "movie", answer: "bytes", mediaType: "video/*" },
  "<": { kind: "sound", answer: "bytes", mediaType: "audio/*" },
};

const UNKNOWN: ItemType = { kind: "unknown", answer: "bytes", mediaType: "*/*" };

/** What is known of an item type; one that is not known gives bytes. */
export function itemTypeOf(type: string): ItemType {
  return ITEM_TYPES[type] ?? UNKNOWN;
}
