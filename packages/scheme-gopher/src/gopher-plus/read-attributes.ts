import type { Limits } from "@anyscheme/core";
import { type ByteSource, bytesToLatin1, decodeUtf8OrLatin1, limitError } from "@anyscheme/core/plugin";
import { readLines } from "@anyscheme/core/io";
import type { GopherEntry, MenuOrigin } from "../menu/entry.ts";
import { mirrorableType, parseMenuLine } from "../menu/menu-line.ts";
import { decodeLatin1 } from "../response/charset.ts";
import { GopherUrl } from "../url/syntax.ts";
import { type AttributeBlock, GopherAttributes } from "./attributes.ts";

/** A block during parsing, with one character per byte. */
export interface RawBlock {
  readonly name: string;
  readonly head: string;
  readonly lines: string[];
}

/** Matches the first line of a block. Some servers omit the colon, or the blank after the colon. */
const BLOCK_HEADER = /^(\+[^\s:]+)(?::|(?=\s|$)) ?(.*)$/s;

/** Groups lines into blocks, and blocks into items. */
export class AttributeParser {
  #blocks: RawBlock[] = [];

  /**
   * Adds a line without its line end, with one character per byte. Returns the blocks of an item when the line
   * begins the next item.
   */
  push(line: string): readonly RawBlock[] | undefined {
    const [, name, head = ""] = BLOCK_HEADER.exec(line) ?? [];
    if (name === undefined) {
      // Ignores a line before the first block, and the final dot that some servers send.
      if (line !== ".") this.#blocks.at(-1)?.lines.push(line.startsWith(" ") ? line.slice(1) : line);
      return undefined;
    }
    const complete = name.toUpperCase() === "+INFO" ? this.end() : undefined;
    this.#blocks.push({ name, head, lines: [] });
    return complete;
  }

  /** Returns the blocks of the last item, or `undefined` when there are none. */
  end(): readonly RawBlock[] | undefined {
    const blocks = this.#blocks;
    this.#blocks = [];
    return blocks.length === 0 ? undefined : blocks;
  }
}

/** Yields the blocks of each item as they arrive. Throws an error only after the blocks before it. */
async function* readBlocks(source: ByteSource, limits: Limits): AsyncGenerator<readonly RawBlock[]> {
  const parser = new AttributeParser();
  let left = limits.maxListingBytes;
  let error: unknown;
  try {
    for await (const line of readLines(source, limits, "maxGopherLineBytes")) {
      left -= line.length + 1;
      if (left < 0) throw limitError("maxListingBytes", limits, "the attributes are too long");
      const complete = parser.push(bytesToLatin1(line));
      if (complete) yield complete;
    }
  } catch (caught) {
    error = caught;
  }
  const last = parser.end();
  if (last) yield last;
  if (error !== undefined) throw error;
}

/**
 * Reads the attributes of the item at a URL. Returns the attributes of the first item if the response has several
 * items. Throws `limit`.
 */
export async function readAttributes(
  source: ByteSource,
  url: GopherUrl,
  origin: MenuOrigin,
  limits: Limits,
): Promise<GopherAttributes> {
  let first: readonly RawBlock[] = [];
  for await (const blocks of readBlocks(source, limits)) if (first.length === 0) first = blocks;
  return new GopherAttributes(
    first.map((block) => toAttributeBlock(block, origin)),
    url,
  );
}

/**
 * Yields the items of a directory with their attributes. RFC 1738 §3.4.6: "all the item attributes for all items in
 * a Gopher directory".
 */
export async function* readItems(
  source: ByteSource,
  origin: MenuOrigin,
  limits: Limits,
): AsyncGenerator<GopherEntry> {
  let count = 0;
  let mirroredType: string | undefined;
  for await (const blocks of readBlocks(source, limits)) {
    if (++count > limits.maxListingEntries)
      throw limitError("maxListingEntries", limits, "the directory has too many items");
    const line = blocks[0]?.head ?? "";
    const entry = parseMenuLine(line, { origin, mirroredType });
    mirroredType = mirrorableType(entry) ?? mirroredType;
    const url = entry.url instanceof GopherUrl ? entry.url : undefined;
    const attributes = new GopherAttributes(
      blocks.map((block) => toAttributeBlock(block, origin)),
      url,
    );
    yield parseMenuLine(line, { origin, mirroredType, attributes });
  }
}

function toAttributeBlock({ name, head, lines }: RawBlock, origin: MenuOrigin): AttributeBlock {
  const { decode = decodeUtf8OrLatin1 } = origin;
  return {
    name,
    head: decodeLatin1(head, decode),
    lines: lines.map((line) => decodeLatin1(line, decode)),
    reference: head.includes("\t") ? parseMenuLine(head, { origin }) : undefined,
  };
}
