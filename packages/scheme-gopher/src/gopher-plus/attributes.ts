import { createUtcDate } from "@anyscheme/core/plugin";
import type { GopherEntry } from "../menu/menu-entry.ts";
import type { GopherUrl } from "../syntax.ts";
import { type GopherFormField, parseAskBlock } from "./gopher-form.ts";
import {
  createGopherPlusView,
  type GopherPlusView,
  parseGopherPlusViews,
  selectGopherPlusView,
  type GopherPlusViewPreference,
} from "./gopher-plus-view.ts";

/** The media types of items without a +VIEWS block, by item type. Gopher+, section 2.6. */
const DEFAULT_VIEWS: ReadonlyMap<string, string> = new Map([
  ["0", "Text/plain"],
  ["1", "application/gopher-menu"],
  ["7", "application/gopher-menu"],
]);

/** An attribute of an item, called an information block in Gopher+, section 2.5. */
export interface GopherAttributeBlock {
  /** The name of the block with its plus sign, as the server writes it, such as `+ADMIN`. */
  readonly name: string;
  /** The text after the block name in the first line of the block. */
  readonly headerText: string;
  /** The further lines of the block, without the blank at the beginning of each line. */
  readonly lines: readonly string[];
  /**
   * The menu item in the first line of the block: the described item of `+INFO`, or the item that contains the text
   * of the block.
   */
  readonly menuItem: GopherEntry | undefined;
}

/** The content of an +ADMIN block: the administrator, the modification date, and other fields. Gopher+, section 2.5. */
export interface GopherAdmin {
  /** The name and the mail address of the administrator, as in `Gopher Admin <gopher@h.example>`. */
  readonly administrator: string | undefined;
  /** The modification date, parsed as UTC because the protocol has no time zone. */
  readonly modified: Date | undefined;
  /** All lines of the +ADMIN block, each split into a name and a value. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** The Gopher+ attributes of an item: a list of blocks. RFC 1738 §3.4.6. */
export class GopherAttributes {
  /** All blocks of attributes, in the order of the server. */
  readonly blocks: readonly GopherAttributeBlock[];
  readonly #url: GopherUrl | undefined;
  #admin: GopherAdmin | undefined;
  #ask: readonly GopherFormField[] | undefined;
  #views: readonly GopherPlusView[] | undefined;

  /** Creates the Gopher+ attributes of an item. `url` is the URL of the item. */
  constructor(blocks: readonly GopherAttributeBlock[], url: GopherUrl | undefined) {
    this.blocks = blocks;
    this.#url = url;
  }

  /**
   * Returns the first attribute block with the given name. The plus sign of the name is optional, and the name is not
   * case-sensitive.
   */
  block(name: string): GopherAttributeBlock | undefined {
    const wanted = (name.startsWith("+") ? name : `+${name}`).toLowerCase();
    return this.blocks.find((block) => block.name.toLowerCase() === wanted);
  }

  /** Returns the menu entry in the +INFO block. */
  get item(): GopherEntry | undefined {
    return this.block("+INFO")?.menuItem;
  }

  get admin(): GopherAdmin | undefined {
    const block = this.block("+ADMIN");
    return block && (this.#admin ??= parseAdminBlock(block.lines));
  }

  /**
   * The text of the +ABSTRACT block. When the abstract is a separate item, the block has no lines, and `menuItem` of
   * the block is that item.
   */
  get abstract(): string | undefined {
    const block = this.block("+ABSTRACT");
    return block && block.lines.length > 0 ? block.lines.join("\n") : undefined;
  }

  /**
   * The questions of the +ASK block. Dereference the URL of the item with the Gopher+ string `?` to submit values.
   * RFC 1738 §3.4.5.
   */
  get ask(): readonly GopherFormField[] | undefined {
    const block = this.block("+ASK");
    return block && (this.#ask ??= parseAskBlock(block.lines));
  }

  /**
   * Returns the views of the item, in the server's order of preference. Without a +VIEWS block, a text has the view
   * `Text/plain`, and a menu or a search has the view `application/gopher-menu`. A mirror has the view of the mirrored
   * item. Items of other types have no Gopher+ view without a +VIEWS block.
   */
  views(): readonly GopherPlusView[] {
    return (this.#views ??= this.#parseViews());
  }

  #parseViews(): readonly GopherPlusView[] {
    const block = this.block("+VIEWS");
    if (block) return parseGopherPlusViews(block.lines, this.#url);
    const { item } = this;
    const itemType = item && item.kind !== "mirror" ? item.itemType : this.#url?.itemType;
    const mediaType = DEFAULT_VIEWS.get(itemType ?? "");
    return mediaType === undefined ? [] : [createGopherPlusView(mediaType, undefined, undefined, this.#url)];
  }

  /**
   * Returns the Gopher+ view of the item that the caller prefers. Compares views by media type, then by language, then
   * by the order of the server. RFC 1738 §3.4.8.
   */
  view(preference: GopherPlusViewPreference = {}): GopherPlusView | undefined {
    return selectGopherPlusView(this.views(), preference);
  }

  toJSON(): Record<string, unknown> {
    const blocks = this.blocks.map(({ name, headerText, lines }) => ({ name, headerText, lines }));
    return { blocks };
  }
}

function parseAdminBlock(lines: readonly string[]): GopherAdmin {
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return colon < 0 ? [line, ""] : [line.slice(0, colon).trimStart(), line.slice(colon + 1).trimStart()];
  });
  const find = (wanted: string): string | undefined =>
    fields.find(([name]) => name.toLowerCase() === wanted)?.[1];
  return { administrator: find("admin"), modified: parseModificationDate(find("mod-date")), fields };
}

/**
 * Parses the digits of a modification date such as `Fri Nov 20 20:57:20 2026 <20261120205720>`. Returns `undefined`
 * for a date that does not exist.
 */
function parseModificationDate(text: string | undefined): Date | undefined {
  const [, ...fields] = /<(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)>/.exec(text ?? "") ?? [];
  const [year = 0, month = 0, day = 0, hour, minute, second] = fields.map(Number);
  return createUtcDate(year, month, day, hour, minute, second);
}
