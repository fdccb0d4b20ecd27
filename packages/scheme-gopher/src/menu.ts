import { limitReached, type Limits, type OctetSource } from "@anyscheme/core";
import { decoded, latin1Of } from "./charset.ts";
import { GopherEntry, type MenuOrigin } from "./entry.ts";
import { itemTypeOf } from "./item-types.ts";

/** Why a reader takes no more lines: the line of one dot has come, or a line that is longer than the limit. */
export type MenuEnd = "dot" | "long-line";

/** The kinds of lines that need no host and port. */
const PLACELESS: ReadonlySet<string> = new Set(["info", "error", "link"]);

/**
 * Turns the octets of a menu into entries, whatever the pieces they arrive in. Lines end with LF or CR LF. RFC 1436 §3.9 and
 * Appendix, "Menu Entity".
 */
export class MenuReader {
  readonly #origin: MenuOrigin;
  readonly #maxLineBytes: number;
  /** The beginning of a line, one character an octet. */
  #rest = "";
  #primaryType: string | undefined;
  #ended: MenuEnd | undefined;

  constructor(origin: MenuOrigin, maxLineBytes: number) {
    this.#origin = origin;
    this.#maxLineBytes = maxLineBytes;
  }

  get ended(): MenuEnd | undefined {
    return this.#ended;
  }

  /** The entries that these octets complete. */
  push(octets: Uint8Array): GopherEntry[] {
    const entries: GopherEntry[] = [];
    const text = latin1Of(octets);
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0 && !this.#ended; end = text.indexOf("\n", start)) {
      this.#line(this.#rest + text.slice(start, end), entries);
      this.#rest = "";
      start = end + 1;
    }
    if (this.#ended) return entries;
    this.#rest += text.slice(start);
    // A CR at the end may belong to the line end.
    if (this.#rest.length > this.#maxLineBytes + 1) this.#ended = "long-line";
    return entries;
  }

  /** At the end of the octets: the entry of a last line without a line end. */
  end(): GopherEntry[] {
    const entries: GopherEntry[] = [];
    if (this.#rest !== "" && !this.#ended) this.#line(this.#rest, entries);
    this.#rest = "";
    return entries;
  }

  #line(whole: string, entries: GopherEntry[]): void {
    const line = whole.endsWith("\r") ? whole.slice(0, -1) : whole;
    if (line === ".") this.#ended = "dot";
    else if (line.length > this.#maxLineBytes) this.#ended = "long-line";
    else entries.push(this.#entry(line));
  }

  #entry(line: string): GopherEntry {
    const [head = "", selector, host, digits = "", tag] = line.split("\t", 5);
    const itemType = head.charAt(0);
    if (selector === undefined && itemType !== "i") return this.#faulty(line, "i", "the line has no fields");
    const name = head.slice(1);
    const kind = itemType === "h" && /^URL:/i.test(selector ?? "") ? "link" : itemTypeOf(itemType).kind;
    const port = portOf(digits);
    const needsPlace = !PLACELESS.has(kind);
    if (needsPlace && (!host || port === undefined))
      return this.#faulty(name, itemType, "the line has no host and port");
    if (kind === "mirror" && this.#primaryType === undefined) {
      return this.#faulty(name, itemType, "there is no item that this one could mirror");
    }
    const urlType = kind === "mirror" ? (this.#primaryType ?? itemType) : itemType;
    if (needsPlace) this.#primaryType = urlType;
    const plus = tag === "+" || tag === "?" ? tag : undefined;
    const place = selector === undefined ? undefined : { urlType, selector, host: decoded(host ?? ""), port };
    return new GopherEntry({ name: decoded(name), kind, itemType, plus }, place, this.#origin);
  }

  #faulty(name: string, itemType: string, fault: string): GopherEntry {
    return new GopherEntry({ name: decoded(name), kind: "info", itemType, fault }, undefined, this.#origin);
  }
}

function portOf(digits: string): number | undefined {
  const port = /^ *\d{1,5} *$/.test(digits) ? Number(digits) : 0;
  return port >= 1 && port <= 65535 ? port : undefined;
}

/** The entries of a menu as they arrive. Those before a fault are given before it is thrown. */
export async function* entriesOf(
  source: OctetSource,
  origin: MenuOrigin,
  limits: Limits,
): AsyncGenerator<GopherEntry> {
  const reader = new MenuReader(origin, limits.maxGopherLineBytes);
  let left = limits.maxListingBytes;
  let count = 0;
  for (;;) {
    let entries: GopherEntry[] = [];
    const state = await source.read((octets) => {
      entries = reader.push(octets.subarray(0, left));
      left -= octets.length;
      return entries.length === 0 && !reader.ended && left >= 0;
    });
    if (state === "end") entries = [...entries, ...reader.end()];
    for (const entry of entries) {
      if (++count > limits.maxListingEntries) {
        throw limitReached("maxListingEntries", limits, "the menu has too many entries");
      }
      yield entry;
    }
    if (reader.ended === "long-line")
      throw limitReached("maxGopherLineBytes", limits, "a line of the menu is too long");
    if (reader.ended === "dot") return;
    if (left < 0) throw limitReached("maxListingBytes", limits, "the menu is too long");
    if (state === "end") return;
  }
}
