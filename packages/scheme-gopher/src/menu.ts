import { DEFAULT_LIMITS, limitReached, type Limits, type OctetSource } from "@anyscheme/core";
import { latin1Of } from "./charset.ts";
import { type GopherEntry, type MenuOrigin, originOf } from "./entry.ts";
import { entryOf, primaryTypeOf } from "./menu-line.ts";
import type { GopherUrl } from "./syntax.ts";

/** Of a menu that is there as a whole, taken at a time. */
const PIECE_BYTES = 65_536;

/** Why a reader takes no more lines: the line of one dot has come, or a line that is longer than the limit. */
export type MenuEnd = "dot" | "long-line";

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
    const entry = entryOf(line, { origin: this.#origin, primaryType: this.#primaryType });
    this.#primaryType = primaryTypeOf(entry) ?? this.#primaryType;
    return entry;
  }
}

/**
 * The entries of a menu that somebody has kept, one after the other. `url` is where it came from: its places on the same server keep
 * the scheme. Throws `limit` for a line that is longer than `maxGopherLineBytes`, and `TypeError` for a charset that is not known.
 */
export function* parseMenu(
  octets: Uint8Array,
  url: GopherUrl,
  { charset, limits = DEFAULT_LIMITS }: { charset?: string | undefined; limits?: Limits } = {},
): Generator<GopherEntry, void> {
  const reader = new MenuReader(originOf(url, charset), limits.maxGopherLineBytes);
  for (let at = 0; at < octets.length && !reader.ended; at += PIECE_BYTES)
    yield* reader.push(octets.subarray(at, at + PIECE_BYTES));
  yield* reader.end();
  if (reader.ended === "long-line")
    throw limitReached("maxGopherLineBytes", limits, "a line of the menu is too long");
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
