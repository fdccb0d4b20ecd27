import { DEFAULT_CORE_LIMITS } from "@anyscheme/core";
import { bytesToLatin1, createLimitError, type ByteSource } from "@anyscheme/core/plugin";
import type { GopherAttributes } from "../gopher-plus/attributes.ts";
import { lookupGopherItemTypeInfo } from "../item-types.ts";
import { DEFAULT_GOPHER_LIMITS, type GopherLimits } from "../scheme-options.ts";
import type { GopherUrl } from "../syntax.ts";
import { GopherEntry, type GopherMenuContext, createGopherMenuContext } from "./menu-entry.ts";

/**
 * The number of bytes of a menu that are decoded at a time. A menu is decoded in small parts, because an entry may keep
 * the whole decoded part in memory.
 */
const BYTES_DECODED_AT_ONCE = 4_096;

const EMPTY_BYTES = new Uint8Array(0);

/** The reason why the menu parser stopped: the final dot, or a line above the limit. */
export type GopherMenuEndReason = "dot" | "long-line";

/**
 * Parses the bytes of a menu into entries, from chunks of any size. Creates an entry only when the caller requests it,
 * because entries need more memory than bytes. The lines of a menu end with LF or CR LF. RFC 1436 §3.9 and Appendix,
 * "Menu Entity".
 */
export class MenuParser {
  readonly #origin: GopherMenuContext;
  readonly #maxLineBytes: number;
  /** The received bytes of the menu that are not decoded yet. */
  #bytes: Uint8Array = EMPTY_BYTES;
  /** The decoded text with one character per byte. The part before `#position` has been parsed. */
  #text = "";
  #position = 0;
  /** The beginning of a menu line whose rest is not decoded yet. */
  #partialLine = "";
  #previousItemType: string | undefined;
  #endReason: GopherMenuEndReason | undefined;

  constructor(origin: GopherMenuContext, maxLineBytes: number) {
    this.#origin = origin;
    this.#maxLineBytes = maxLineBytes;
  }

  get endReason(): GopherMenuEndReason | undefined {
    return this.#endReason;
  }

  /** Adds bytes of the menu. The caller must not change the bytes that it has passed to the menu parser. */
  push(bytes: Uint8Array): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
  }

  /** Returns the next entry, or `undefined` when its line is incomplete or the menu has ended. */
  nextEntry(): GopherEntry | undefined {
    while (!this.#endReason) {
      const end = this.#text.indexOf("\n", this.#position);
      if (end >= 0) {
        const line = this.#partialLine + this.#text.slice(this.#position, end);
        this.#partialLine = "";
        this.#position = end + 1;
        return this.#parse(line);
      }
      this.#partialLine += this.#text.slice(this.#position);
      // The menu parser permits one character above the line limit, because a CR at the end may belong to the line end.
      if (this.#partialLine.length > this.#maxLineBytes + 1) this.#endReason = "long-line";
      this.#text = bytesToLatin1(this.#bytes.subarray(0, BYTES_DECODED_AT_ONCE));
      this.#position = 0;
      this.#bytes =
        this.#bytes.length > BYTES_DECODED_AT_ONCE
          ? this.#bytes.subarray(BYTES_DECODED_AT_ONCE)
          : EMPTY_BYTES;
      if (this.#text === "") break;
    }
    return undefined;
  }

  /** Returns the entry of a last menu line that has no line end. Call this method after the last byte of the menu. */
  end(): GopherEntry | undefined {
    const line = this.#partialLine;
    this.#partialLine = "";
    return line === "" ? undefined : this.#parse(line);
  }

  #parse(lineWithCr: string): GopherEntry | undefined {
    const line = lineWithCr.endsWith("\r") ? lineWithCr.slice(0, -1) : lineWithCr;
    if (line === ".") this.#endReason = "dot";
    else if (line.length > this.#maxLineBytes) this.#endReason = "long-line";
    if (this.#endReason) return undefined;
    const entry = parseMenuLine(line, { menuServer: this.#origin, previousItemType: this.#previousItemType });
    this.#previousItemType = getItemTypeForRedundantServerLines(entry) ?? this.#previousItemType;
    return entry;
  }
}

/**
 * Parses the bytes of a saved Gopher menu. `url` is the URL of the menu. Items on the same server have the scheme of
 * the menu URL. Throws `limit` for a line that is longer than `maxGopherLineBytes`, and `TypeError` for an unknown
 * charset.
 */
export function* parseMenu(
  bytes: Uint8Array,
  url: GopherUrl,
  {
    charset,
    limits = { ...DEFAULT_CORE_LIMITS, ...DEFAULT_GOPHER_LIMITS },
  }: { charset?: string | undefined; limits?: GopherLimits } = {},
): Generator<GopherEntry, void> {
  const parser = new MenuParser(createGopherMenuContext(url, charset), limits.maxGopherLineBytes);
  parser.push(bytes);
  const next = (): GopherEntry | undefined => parser.nextEntry() ?? parser.end();
  for (let entry = next(); entry; entry = next()) yield entry;
  if (parser.endReason === "long-line")
    throw createLimitError("maxGopherLineBytes", limits, "a line of the menu is too long");
}

/**
 * Yields the entries of a menu as they arrive. Yields all received entries before it throws an error. After the last
 * entry, the property `parser.endReason` is `"dot"` for a menu with a final dot.
 */
export async function* parseMenuStream(
  source: ByteSource,
  parser: MenuParser,
  limits: GopherLimits,
): AsyncGenerator<GopherEntry> {
  let left = limits.maxListingBytes;
  let count = 0;
  for (;;) {
    let entry = undefined as GopherEntry | undefined;
    const state = await source.readChunks((bytes) => {
      parser.push(new Uint8Array(bytes.subarray(0, left)));
      left -= bytes.length;
      entry ??= parser.nextEntry();
      return !entry && !parser.endReason && left >= 0;
    });
    const next = (): GopherEntry | undefined =>
      parser.nextEntry() ?? (state === "end" ? parser.end() : undefined);
    for (entry ??= next(); entry; entry = next()) {
      if (++count > limits.maxListingEntries)
        throw createLimitError("maxListingEntries", limits, "the menu has too many entries");
      yield entry;
    }
    if (parser.endReason === "long-line")
      throw createLimitError("maxGopherLineBytes", limits, "a line of the menu is too long");
    if (parser.endReason === "dot") return;
    if (left < 0) throw createLimitError("maxListingBytes", limits, "the menu is too long");
    if (state === "end") return;
  }
}

/** The kinds of menu entries that need no host and port. */
const ENTRY_KINDS_WITHOUT_TARGET: ReadonlySet<string> = new Set(["info", "error", "link"]);

/** The information from the rest of the menu that the parser of a menu line needs. */
export interface MenuLineContext {
  readonly menuServer: GopherMenuContext;
  /** The type of the previous item in the menu. A line of type "+" is a mirror of the previous item. */
  readonly previousItemType?: string | undefined;
  /** The Gopher+ attributes of the item, if the response contains them. */
  readonly attributes?: GopherAttributes | undefined;
}

/** Parses a menu line without its line end, with one character per byte. RFC 1436 §3.9. */
export function parseMenuLine(line: string, context: MenuLineContext): GopherEntry {
  const { menuServer, previousItemType, attributes } = context;
  const [head = "", selector, host = "", digits = "", tag] = line.split("\t", 5);
  const itemType = head.charAt(0);
  const invalidEntry = (fault: string, itemType: string, text: string): GopherEntry =>
    new GopherEntry(
      { name: menuServer.decodeText(text), kind: "info", itemType, fault, attributes },
      undefined,
      menuServer,
    );
  if (selector === undefined && itemType !== "i")
    return invalidEntry("the menu line has no fields", "i", line);
  const isLink = itemType === "h" && /^URL:/i.test(selector ?? "");
  const kind = isLink ? "link" : lookupGopherItemTypeInfo(itemType).kind;
  const port = parsePort(digits);
  const label = head.slice(1);
  if (!ENTRY_KINDS_WITHOUT_TARGET.has(kind) && (host === "" || port === undefined))
    return invalidEntry("the menu line has no host or no valid port", itemType, label);
  if (kind === "mirror" && previousItemType === undefined)
    return invalidEntry("the menu has no item before the mirror line", itemType, label);
  const urlItemType = kind === "mirror" ? (previousItemType ?? itemType) : itemType;
  const plus = tag === "+" || tag === "?" ? tag : undefined;
  const target =
    selector === undefined ? undefined : { urlItemType, selector, host: menuServer.decodeText(host), port };
  return new GopherEntry(
    { name: menuServer.decodeText(label), kind, itemType, plus, attributes },
    target,
    menuServer,
  );
}

/**
 * Returns the item type that mirror lines (type "+") after this entry have. Returns `undefined` for a menu entry that
 * is no item.
 */
export function getItemTypeForRedundantServerLines({
  kind,
  itemType,
  port,
  fault,
}: GopherEntry): string | undefined {
  const isItem =
    port !== undefined && fault === undefined && kind !== "mirror" && !ENTRY_KINDS_WITHOUT_TARGET.has(kind);
  return isItem ? itemType : undefined;
}

function parsePort(digits: string): number | undefined {
  const port = /^ *\d{1,5} *$/.test(digits) ? Number(digits) : 0;
  return port >= 1 && port <= 65535 ? port : undefined;
}
