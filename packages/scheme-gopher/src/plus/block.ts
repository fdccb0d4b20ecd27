import { decoded, decodeUtf8OrLatin1 } from "../charset.ts";
import type { GopherEntry, MenuOrigin } from "../entry.ts";
import { entryOf } from "../menu-line.ts";

/** One attribute of an item: what Gopher+ calls an information block. Gopher+, section 2.5. */
export interface AttributeBlock {
  /** With its plus sign, as the server writes it: `+ADMIN`. */
  readonly name: string;
  /** What follows the name on its line. */
  readonly head: string;
  /** The lines below it, without the blank that each begins with. */
  readonly lines: readonly string[];
  /** The item that the head describes: what `+INFO` is about, or where the block is to be found when it has no lines. */
  readonly reference: GopherEntry | undefined;
}

/** The lines of a block while it is being read, one character a byte. */
export interface RawBlock {
  readonly name: string;
  readonly head: string;
  readonly lines: string[];
}

// Writers exist that leave the colon out, and some the blank behind it.
const header = /^(\+[^\s:]+)(?::|(?=\s|$)) ?(.*)$/s;

/** The block that a line begins; `undefined` when it begins none. */
export function beginBlock(line: string): RawBlock | undefined {
  const [, name, head = ""] = header.exec(line) ?? [];
  return name === undefined ? undefined : { name, head, lines: [] };
}

/** A block as the caller gets it. */
export function blockOf({ name, head, lines }: RawBlock, origin: MenuOrigin): AttributeBlock {
  const { decode = decodeUtf8OrLatin1 } = origin;
  const reference = head.includes("\t") ? entryOf(head, { origin }) : undefined;
  return {
    name,
    head: decoded(head, decode),
    lines: lines.map((line) => decoded(line, decode)),
    reference,
  };
}
