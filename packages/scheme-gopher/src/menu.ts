import { DEFAULT_LIMITS, type Limits } from "@anyscheme/core";
import { limitError, type ByteSource } from "@anyscheme/core/plugin";
import { bytesToLatin1 } from "./charset.ts";
import { type GopherEntry, type MenuOrigin, originOf } from "./entry.ts";
import { entryOf, primaryTypeOf } from "./menu-line.ts";
import type { GopherUrl } from "./syntax.ts";

/** What becomes text at a time. Short, because an entry that somebody keeps may keep all of it in the memory. */
const TEXT_BYTES = 4_096;

const NOTHING = new Uint8Array(0);

/** Why a reader takes no more lines: the line of one dot has come, or a line that is longer than the limit. */
export type MenuEnd = "dot" | "long-line";

/**
 * Turns the bytes of a menu into entries, whatever the pieces they arrive in. An entry is made when it is asked for: for a reader who
 * is slow, a piece lies in the memory as it came and not as a thousand entries. Lines end with LF or CR LF. RFC 1436 §3.9 and
 * Appendix, "Menu Entity".
 */
export class MenuReader {
  readonly #origin: MenuOrigin;
  readonly #maxLineBytes: number;
  /** What was pushed and has not become text. */
  #bytes: Uint8Array = NOTHING;
  /** What has become text, one character a byte; from `#at` on, it has not been read. */
  #text = "";
  #at = 0;
  /** The beginning of a line that goes on in the text. */
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

  /** Takes further bytes, which have to stay as they are. */
  push(bytes: Uint8Array): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
  }

  /** The next entry; `undefined` when its line is not there as a whole, or the menu has ended. */
  next(): GopherEntry | undefined {
    while (!this.#ended) {
      const end = this.#text.indexOf("\n", this.#at);
      if (end >= 0) {
        const line = this.#rest + this.#text.slice(this.#at, end);
        this.#rest = "";
        this.#at = end + 1;
        return this.#line(line);
      }
      this.#rest += this.#text.slice(this.#at);
      // A CR at the end may belong to the line end.
      if (this.#rest.length > this.#maxLineBytes + 1) this.#ended = "long-line";
      this.#text = bytesToLatin1(this.#bytes.subarray(0, TEXT_BYTES));
      this.#at = 0;
      this.#bytes = this.#bytes.length > TEXT_BYTES ? this.#bytes.subarray(TEXT_BYTES) : NOTHING;
      if (this.#text === "") break;
    }
    return undefined;
  }

  /** At the end of the bytes, when all of them have been read: the entry of a last line without a line end. */
  end(): GopherEntry | undefined {
    const line = this.#rest;
    this.#rest = "";
    return line === "" ? undefined : this.#line(line);
  }

  #line(whole: string): GopherEntry | undefined {
    const line = whole.endsWith("\r") ? whole.slice(0, -1) : whole;
    if (line === ".") this.#ended = "dot";
    else if (line.length > this.#maxLineBytes) this.#ended = "long-line";
    if (this.#ended) return undefined;
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
  bytes: Uint8Array,
  url: GopherUrl,
  { charset, limits = DEFAULT_LIMITS }: { charset?: string | undefined; limits?: Limits } = {},
): Generator<GopherEntry, void> {
  const reader = new MenuReader(originOf(url, charset), limits.maxGopherLineBytes);
  reader.push(bytes);
  const next = (): GopherEntry | undefined => reader.next() ?? reader.end();
  for (let entry = next(); entry; entry = next()) yield entry;
  if (reader.ended === "long-line")
    throw limitError("maxGopherLineBytes", limits, "a line of the menu is too long");
}

/**
 * The entries of a menu as they arrive. Those before a fault are given before it is thrown. Afterwards `reader.ended` is `"dot"` for
 * a menu that ended with its line of one dot.
 */
export async function* entriesOf(
  source: ByteSource,
  reader: MenuReader,
  limits: Limits,
): AsyncGenerator<GopherEntry> {
  let left = limits.maxListingBytes;
  let count = 0;
  for (;;) {
    let entry = undefined as GopherEntry | undefined;
    const state = await source.read((bytes) => {
      reader.push(new Uint8Array(bytes.subarray(0, left)));
      left -= bytes.length;
      entry ??= reader.next();
      return !entry && !reader.ended && left >= 0;
    });
    const next = (): GopherEntry | undefined => reader.next() ?? (state === "end" ? reader.end() : undefined);
    for (entry ??= next(); entry; entry = next()) {
      if (++count > limits.maxListingEntries) {
        throw limitError("maxListingEntries", limits, "the menu has too many entries");
      }
      yield entry;
    }
    if (reader.ended === "long-line")
      throw limitError("maxGopherLineBytes", limits, "a line of the menu is too long");
    if (reader.ended === "dot") return;
    if (left < 0) throw limitError("maxListingBytes", limits, "the menu is too long");
    if (state === "end") return;
  }
}
