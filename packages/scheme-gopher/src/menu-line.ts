import { decoded, decodeUtf8OrLatin1 } from "./charset.ts";
import { GopherEntry, type MenuOrigin } from "./entry.ts";
import { itemTypeOf } from "./item-types.ts";
import type { GopherAttributes } from "./plus/attributes.ts";

/** The kinds of lines that need no host and port. */
const PLACELESS: ReadonlySet<string> = new Set(["info", "error", "link"]);

/** What has to be known to read a line of a menu. */
export interface LineContext {
  readonly origin: MenuOrigin;
  /** The type of the item before it, which a line of type "+" mirrors. */
  readonly primaryType?: string | undefined;
  /** The attributes of the item, where a Gopher+ server has told them with it. */
  readonly attributes?: GopherAttributes | undefined;
}

/** The entry of a menu line, given as one character a byte and without its line end. RFC 1436 §3.9. */
export function entryOf(line: string, context: LineContext): GopherEntry {
  const { origin, primaryType, attributes } = context;
  const { decode = decodeUtf8OrLatin1 } = origin;
  const [head = "", selector, host, digits = "", tag] = line.split("\t", 5);
  const itemType = head.charAt(0);
  if (selector === undefined && itemType !== "i") return faulty(line, "i", "the line has no fields", context);
  const name = decoded(head.slice(1), decode);
  const kind = itemType === "h" && /^URL:/i.test(selector ?? "") ? "link" : itemTypeOf(itemType).kind;
  const port = portOf(digits);
  if (!PLACELESS.has(kind) && (!host || port === undefined))
    return faulty(head.slice(1), itemType, "the line has no host and port", context);
  if (kind === "mirror" && primaryType === undefined)
    return faulty(head.slice(1), itemType, "there is no item that this one could mirror", context);
  const urlType = kind === "mirror" ? (primaryType ?? itemType) : itemType;
  const plus = tag === "+" || tag === "?" ? tag : undefined;
  const place =
    selector === undefined ? undefined : { urlType, selector, host: decoded(host ?? "", decode), port };
  return new GopherEntry({ name, kind, itemType, plus, attributes }, place, origin);
}

/** The item type that a mirror behind this entry would be of; `undefined` when it has none of its own. */
export function primaryTypeOf({ kind, itemType, port, fault }: GopherEntry): string | undefined {
  const isItem = port !== undefined && fault === undefined && kind !== "mirror" && !PLACELESS.has(kind);
  return isItem ? itemType : undefined;
}

function faulty(name: string, itemType: string, fault: string, context: LineContext): GopherEntry {
  const { origin, attributes } = context;
  const text = decoded(name, origin.decode ?? decodeUtf8OrLatin1);
  return new GopherEntry({ name: text, kind: "info", itemType, fault, attributes }, undefined, origin);
}

function portOf(digits: string): number | undefined {
  const port = /^ *\d{1,5} *$/.test(digits) ? Number(digits) : 0;
  return port >= 1 && port <= 65535 ? port : undefined;
}
