import type { GopherEntry } from "../entry.ts";
import type { GopherUrl } from "../syntax.ts";
import { adminOf, type GopherAdmin } from "./admin.ts";
import { fieldsOf, type GopherField } from "./ask.ts";
import type { AttributeBlock } from "./block.ts";
import { bestView, type GopherView, viewOf, viewsOf, type ViewWish } from "./view.ts";

/** What an item is that has no block +VIEWS. Gopher+, section 2.6. */
const DEFAULT_VIEWS: Readonly<Record<string, string>> = {
  "0": "Text/plain",
  "1": "application/gopher-menu",
  "7": "application/gopher-menu",
};

/** The attributes of an item: blocks of lines, those that Gopher+ describes and those that it does not. RFC 1738 §3.4.6. */
export class GopherAttributes {
  /** All blocks, in the server's order. */
  readonly blocks: readonly AttributeBlock[];
  readonly #url: GopherUrl | undefined;

  /** `url` leads to the item itself. */
  constructor(blocks: readonly AttributeBlock[], url: GopherUrl | undefined) {
    this.blocks = blocks;
    this.#url = url;
  }

  /** The first block of this name, written with its plus sign or without; in any case. */
  block(name: string): AttributeBlock | undefined {
    const wanted = (name.startsWith("+") ? name : `+${name}`).toLowerCase();
    return this.blocks.find((block) => block.name.toLowerCase() === wanted);
  }

  /** The line of +INFO: the item as a menu has it. */
  get item(): GopherEntry | undefined {
    return this.block("+INFO")?.reference;
  }

  get admin(): GopherAdmin | undefined {
    const block = this.block("+ADMIN");
    return block && adminOf(block.lines);
  }

  /** The lines of +ABSTRACT. Where they are to be found elsewhere, `block("+ABSTRACT").reference` leads there. */
  get abstract(): string | undefined {
    const block = this.block("+ABSTRACT");
    return block && block.lines.length > 0 ? block.lines.join("\n") : undefined;
  }

  /** The questions of +ASK; to answer them, dereference the item's URL with the Gopher+ string `?`. RFC 1738 §3.4.5. */
  get ask(): readonly GopherField[] | undefined {
    const block = this.block("+ASK");
    return block && fieldsOf(block.lines);
  }

  /**
   * The representations of the item, the server's preferred one first. Without a block +VIEWS a text has the one view
   * `Text/plain`, a menu `application/gopher-menu`, and every other item none.
   */
  views(): readonly GopherView[] {
    const block = this.block("+VIEWS");
    if (block) return viewsOf(block.lines, this.#url);
    const view = DEFAULT_VIEWS[this.item?.itemType ?? this.#url?.itemType ?? ""];
    return view === undefined ? [] : [viewOf(view, undefined, undefined, this.#url)];
  }

  /** The view that suits best: by media type first, then by language, then by the server's order. RFC 1738 §3.4.8. */
  view(wish: ViewWish = {}): GopherView | undefined {
    return bestView(this.views(), wish);
  }

  toJSON(): Record<string, unknown> {
    const blocks = this.blocks.map(({ name, head, lines }) => ({ name, head, lines }));
    return { blocks };
  }
}
