import { decodeUtf8OrLatin1 } from "@anyscheme/core/plugin";
import type { GopherAttributes } from "../gopher-plus/attributes.ts";
import { decodeLatin1 } from "../response/charset.ts";
import { lookupItemType } from "../url/item-types.ts";
import { GopherEntry, type MenuOrigin } from "./entry.ts";

/** The kinds of entries that need no host and port. */
const KINDS_WITHOUT_TARGET: ReadonlySet<string> = new Set(["info", "error", "link"]);

/** The state that the parser of a menu line needs. */
export interface LineContext {
  readonly origin: MenuOrigin;
  /** The type of the previous item, which a line of type "+" mirrors. */
  readonly mirroredType?: string | undefined;
  /** The attributes of the item, if the response contains them. */
  readonly attributes?: GopherAttributes | undefined;
}

/** Parses a menu line without its line end, with one character per byte. RFC 1436 §3.9. */
export function parseMenuLine(line: string, context: LineContext): GopherEntry {
  const { origin, mirroredType, attributes } = context;
  const { decode = decodeUtf8OrLatin1 } = origin;
  const [head = "", selector, host, digits = "", tag] = line.split("\t", 5);
  const itemType = head.charAt(0);
  if (selector === undefined && itemType !== "i")
    return invalidEntry(line, "i", "the line has no fields", context);
  const name = decodeLatin1(head.slice(1), decode);
  const isLink = itemType === "h" && /^URL:/i.test(selector ?? "");
  const kind = isLink ? "link" : lookupItemType(itemType).kind;
  const port = parsePort(digits);
  if (!KINDS_WITHOUT_TARGET.has(kind) && (!host || port === undefined))
    return invalidEntry(head.slice(1), itemType, "the line has no host and port", context);
  if (kind === "mirror" && mirroredType === undefined)
    return invalidEntry(head.slice(1), itemType, "there is no item before the mirror", context);
  const urlType = kind === "mirror" ? (mirroredType ?? itemType) : itemType;
  const plus = tag === "+" || tag === "?" ? tag : undefined;
  const target =
    selector === undefined ? undefined : { urlType, selector, host: decodeLatin1(host ?? "", decode), port };
  return new GopherEntry({ name, kind, itemType, plus, attributes }, target, origin);
}

/**
 * Returns the item type of a mirror line after this entry. Returns `undefined` for an entry that cannot be
 * mirrored.
 */
export function mirrorableType({ kind, itemType, port, fault }: GopherEntry): string | undefined {
  const isItem =
    port !== undefined && fault === undefined && kind !== "mirror" && !KINDS_WITHOUT_TARGET.has(kind);
  return isItem ? itemType : undefined;
}

function invalidEntry(name: string, itemType: string, fault: string, context: LineContext): GopherEntry {
  const { origin, attributes } = context;
  const text = decodeLatin1(name, origin.decode ?? decodeUtf8OrLatin1);
  return new GopherEntry({ name: text, kind: "info", itemType, fault, attributes }, undefined, origin);
}

function parsePort(digits: string): number | undefined {
  const port = /^ *\d{1,5} *$/.test(digits) ? Number(digits) : 0;
  return port >= 1 && port <= 65535 ? port : undefined;
}
