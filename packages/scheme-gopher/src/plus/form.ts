import type { ResourceProps, FormValue } from "@anyscheme/core/plugin";
import { withSearch } from "../item-url.ts";
import type { GopherName, GopherUrl } from "../syntax.ts";
import type { GopherField } from "./ask.ts";
import type { GopherAttributes } from "./attributes.ts";
import { filledIn } from "./fill.ts";

/** What is particular to a form of Gopher: its fields, and the URL that they make. */
export interface GopherForm<Name extends GopherName = GopherName> extends ResourceProps<"form"> {
  readonly fields: readonly GopherField[];
  fill(values: Readonly<Record<string, FormValue>>): GopherUrl<Name>;
}

/** The form of an item whose attributes have a block +ASK; else `undefined`. RFC 1738 §3.4.5. */
export function formOf<Name extends GopherName>(
  item: GopherUrl<Name>,
  attributes: GopherAttributes,
): GopherForm<Name> | undefined {
  const fields = attributes.ask;
  return fields && { title: attributes.item?.name, fields, fill: (values) => filledIn(item, fields, values) };
}

const WORDS = "words";

/** The form that a search is: one field for its words. RFC 1738 §3.4.2. */
export function searchForm<Name extends GopherName>(item: GopherUrl<Name>): GopherForm<Name> {
  return {
    title: undefined,
    fields: [{ word: "", name: WORDS, label: "Words to search for", kind: "text" }],
    fill({ [WORDS]: words = "", ...others }) {
      const [other] = Object.keys(others);
      if (other !== undefined) throw new TypeError(`the form has no field ${JSON.stringify(other)}`);
      if (typeof words === "boolean") throw new TypeError(`the field ${JSON.stringify(WORDS)} takes text`);
      return withSearch(item, words);
    },
  };
}
