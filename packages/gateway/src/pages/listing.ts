import type { Entry, Url } from "@anyscheme/core";
import type { View } from "../address.ts";
import { html, type Html } from "../html.ts";
import type { Links } from "../links.ts";

type Order = "name" | "size" | "date";

const COMPARE: Readonly<Record<Order, (one: Entry, other: Entry) => number>> = {
  name: (one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0),
  size: (one, other) => (other.size ?? -1) - (one.size ?? -1),
  date: (one, other) => (other.modified?.getTime() ?? 0) - (one.modified?.getTime() ?? 0),
};

/** Whether a view is a listing in an order of its own. */
export function isOrder(view: View): view is Order {
  return view in COMPARE;
}

/** Entries in order; sizes and dates from the largest down. */
export function sorted(entries: readonly Entry[], order: Order): readonly Entry[] {
  return entries.toSorted(COMPARE[order]);
}

/** The head of a table of files. Its titles lead to the same table in another order. */
export function listingTop(url: Url, view: View, links: Links): Html {
  const title = (order: Order, text: string, extra = ""): Html => {
    const current =
      view === order ? html` aria-sort="${order === "name" ? "ascending" : "descending"}"` : html``;
    const column = extra === "" ? html`` : html` class="${extra}"`;
    return html`<th scope="col"${column}${current}><a href="${links.to(url, order)}">${text}</a></th>`;
  };
  return html`<div class="scroll"><table>
<thead><tr>${title("name", "Name")}<th scope="col" class="kind">Kind</th>${title("size", "Size", "number")}${title("date", "Changed", "when")}</tr></thead>
<tbody>
`;
}

export const listingBottom: Html = html`</tbody></table></div>
`;

export function listingRow({ name, url, kind, size, modified }: Entry, links: Links): Html {
  const href = url && links.to(url);
  const shown = href === undefined ? html`${name}` : html`<a href="${href}">${name}</a>`;
  return html`<tr><td>${shown}</td><td class="kind">${kind}</td><td class="number">${size}</td><td class="when">${dateOf(modified)}</td></tr>
`;
}

function dateOf(date: Date | undefined): string | undefined {
  if (!date || Number.isNaN(date.getTime())) return undefined;
  return date.toISOString().slice(0, 16).replace("T", " ");
}
