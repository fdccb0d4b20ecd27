import type { Limits } from "@anyscheme/core";
import { limitError, type ByteSource } from "@anyscheme/core/plugin";
import { readLines } from "@anyscheme/core/io";
import { bytesToLatin1 } from "../charset.ts";
import type { GopherEntry, MenuOrigin } from "../entry.ts";
import { entryOf, primaryTypeOf } from "../menu-line.ts";
import { GopherUrl } from "../syntax.ts";
import { GopherAttributes } from "./attributes.ts";
import { beginBlock, blockOf, type RawBlock } from "./block.ts";

/** Collects the blocks of one item after the other. */
export class AttributeReader {
  #blocks: RawBlock[] = [];

  /** Takes a line without its line end, one character a byte. Gives the blocks of an item when the line begins the next one. */
  push(line: string): readonly RawBlock[] | undefined {
    const begun = beginBlock(line);
    if (!begun) {
      // What stands before the first block belongs to none; a lone dot is the end that some servers write.
      if (line !== ".") this.#blocks.at(-1)?.lines.push(line.startsWith(" ") ? line.slice(1) : line);
      return undefined;
    }
    const complete = begun.name.toUpperCase() === "+INFO" ? this.end() : undefined;
    this.#blocks.push(begun);
    return complete;
  }

  /** The blocks of the last item; `undefined` when there are none. */
  end(): readonly RawBlock[] | undefined {
    const blocks = this.#blocks;
    this.#blocks = [];
    return blocks.length === 0 ? undefined : blocks;
  }
}

/** The blocks of each item, as they arrive. What came before a fault is given before it is thrown. */
async function* blocksOf(source: ByteSource, limits: Limits): AsyncGenerator<readonly RawBlock[]> {
  const reader = new AttributeReader();
  let left = limits.maxListingBytes;
  let fault: unknown;
  try {
    for await (const line of readLines(source, limits, "maxGopherLineBytes")) {
      left -= line.length + 1;
      if (left < 0) throw limitError("maxListingBytes", limits, "the attributes are too long");
      const complete = reader.push(bytesToLatin1(line));
      if (complete) yield complete;
    }
  } catch (error) {
    fault = error;
  }
  const last = reader.end();
  if (last) yield last;
  if (fault !== undefined) throw fault;
}

/** The attributes of the item that a URL names; those of the first item, where there are more. Throws `limit`, and what the source throws. */
export async function attributesOf(
  source: ByteSource,
  url: GopherUrl,
  origin: MenuOrigin,
  limits: Limits,
): Promise<GopherAttributes> {
  let first: readonly RawBlock[] | undefined;
  for await (const blocks of blocksOf(source, limits)) first ??= blocks;
  return new GopherAttributes(
    (first ?? []).map((block) => blockOf(block, origin)),
    url,
  );
}

/** The items of a directory with their attributes. RFC 1738 §3.4.6: "all the item attributes for all items in a Gopher directory". */
export async function* itemsOf(
  source: ByteSource,
  origin: MenuOrigin,
  limits: Limits,
): AsyncGenerator<GopherEntry> {
  let count = 0;
  let primaryType: string | undefined;
  for await (const blocks of blocksOf(source, limits)) {
    if (++count > limits.maxListingEntries)
      throw limitError("maxListingEntries", limits, "the directory has too many items");
    const line = blocks[0]?.head ?? "";
    const bare = entryOf(line, { origin, primaryType });
    primaryType = primaryTypeOf(bare) ?? primaryType;
    const url = bare.url instanceof GopherUrl ? bare.url : undefined;
    const attributes = new GopherAttributes(
      blocks.map((block) => blockOf(block, origin)),
      url,
    );
    yield entryOf(line, { origin, primaryType, attributes });
  }
}
