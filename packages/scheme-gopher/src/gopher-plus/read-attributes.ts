import { type ByteSource, bytesToLatin1, createLimitError } from "@anyscheme/core/plugin";
import { readLines } from "@anyscheme/core/io";
import type { GopherEntry, GopherMenuContext } from "../menu/menu-entry.ts";
import { getItemTypeForRedundantServerLines, parseMenuLine } from "../menu/menu.ts";
import type { GopherLimits } from "../scheme-options.ts";
import { GopherUrl } from "../syntax.ts";
import { GopherAttributes } from "./attributes.ts";

/**
 * A Gopher+ attribute block whose bytes are not decoded yet. The strings of the raw attribute block have one character
 * per byte.
 */
interface RawAttributeBlock {
  readonly name: string;
  readonly headerText: string;
  readonly lines: string[];
}

/** Matches the first line of a block of attributes. Some servers omit the colon, or the blank after the colon. */
const ATTRIBUTE_BLOCK_HEADER = /^(\+[^\s:]+)(?::|(?=\s|$)) ?(.*)$/s;

/**
 * Yields the attribute blocks of each item as they arrive. Yields all received attribute blocks before it throws an
 * error.
 */
async function* readAttributeBlocks(
  source: ByteSource,
  limits: GopherLimits,
): AsyncGenerator<readonly RawAttributeBlock[]> {
  let remainingBytes = limits.maxListingBytes;
  let blocks: RawAttributeBlock[] = [];
  let error: unknown;
  try {
    for await (const bytes of readLines(source, limits, "maxGopherLineBytes")) {
      remainingBytes -= bytes.length + 1;
      if (remainingBytes < 0)
        throw createLimitError("maxListingBytes", limits, "the attributes are too long");
      const line = bytesToLatin1(bytes);
      const [, name, headerText = ""] = ATTRIBUTE_BLOCK_HEADER.exec(line) ?? [];
      if (name !== undefined) {
        // The block +INFO begins the next item.
        if (name.toUpperCase() === "+INFO" && blocks.length > 0) {
          yield blocks;
          blocks = [];
        }
        blocks.push({ name, headerText, lines: [] });
      } else if (line !== ".") {
        // The parser ignores a line before the first block, and the final dot that some servers send.
        const block = blocks.at(-1);
        if (block) checkLineCount(block, limits);
        block?.lines.push(line.startsWith(" ") ? line.slice(1) : line);
      }
    }
  } catch (caught) {
    error = caught;
  }
  if (blocks.length > 0) yield blocks;
  if (error !== undefined) throw error;
}

/**
 * Throws `limit` for an +ASK or +VIEWS block that already has the maximum number of lines, each a question or a view.
 */
function checkLineCount({ name, lines }: RawAttributeBlock, limits: GopherLimits): void {
  const blockName = name.toUpperCase();
  if (blockName === "+ASK" && lines.length >= limits.maxFormQuestions)
    throw createLimitError("maxFormQuestions", limits, "the form has too many questions");
  if (blockName === "+VIEWS" && lines.length >= limits.maxListingEntries)
    throw createLimitError("maxListingEntries", limits, "the item has too many views");
}

/**
 * Reads the attributes of the item at a URL. Returns the attributes of the first item if the response has several
 * items. Throws `limit`.
 */
export async function readGopherAttributes(
  source: ByteSource,
  url: GopherUrl,
  origin: GopherMenuContext,
  limits: GopherLimits,
): Promise<GopherAttributes> {
  let first: readonly RawAttributeBlock[] = [];
  for await (const blocks of readAttributeBlocks(source, limits)) if (first.length === 0) first = blocks;
  return createAttributes(first, url, origin);
}

/**
 * Yields the items of a directory with their attributes. RFC 1738 §3.4.6: "all the item attributes for all items in
 * a Gopher directory".
 */
export async function* readAttributesOfAllItems(
  source: ByteSource,
  origin: GopherMenuContext,
  limits: GopherLimits,
): AsyncGenerator<GopherEntry> {
  let count = 0;
  let previousItemType: string | undefined;
  for await (const blocks of readAttributeBlocks(source, limits)) {
    if (++count > limits.maxListingEntries)
      throw createLimitError("maxListingEntries", limits, "the directory has too many items");
    const line = blocks[0]?.headerText ?? "";
    const entry = parseMenuLine(line, { menuServer: origin, previousItemType });
    previousItemType = getItemTypeForRedundantServerLines(entry) ?? previousItemType;
    const url = entry.url instanceof GopherUrl ? entry.url : undefined;
    yield parseMenuLine(line, {
      menuServer: origin,
      previousItemType,
      attributes: createAttributes(blocks, url, origin),
    });
  }
}

function createAttributes(
  blocks: readonly RawAttributeBlock[],
  url: GopherUrl | undefined,
  origin: GopherMenuContext,
): GopherAttributes {
  const { decodeText } = origin;
  // The URL of a mirror (type "+") has the type of the mirrored item.
  const context = { menuServer: origin, previousItemType: url?.itemType };
  const decodedBlocks = blocks.map(({ name, headerText, lines }) => ({
    name,
    headerText: decodeText(headerText),
    lines: lines.map(decodeText),
    menuItem: headerText.includes("\t") ? parseMenuLine(headerText, context) : undefined,
  }));
  return new GopherAttributes(decodedBlocks, url);
}
