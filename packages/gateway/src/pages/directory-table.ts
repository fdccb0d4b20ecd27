import type { DirectoryEntry, Url } from "@anyscheme/core";
import type { ResourceViewName } from "../request/gateway-path.ts";
import { html, type Html } from "./html.ts";
import type { LinkBuilder } from "./link-builder.ts";

type SortOrder = "name" | "size" | "date";

/** The functions that return the sort key of an entry. The entry with the smallest key is the first. */
const SORT_KEYS: Readonly<Record<SortOrder, (entry: DirectoryEntry) => string | number>> = {
  name: ({ name }) => name,
  size: ({ size = -1 }) => -size,
  // The key of an invalid date is NaN, which has no order.
  date: ({ modified }) => -(modified?.getTime() ?? 0) || 0,
};

/** True for a view that sorts the listing. */
export function isSortOrder(view: ResourceViewName): view is SortOrder {
  return view in SORT_KEYS;
}

/** Sorts the entries of a directory: by name from A, by size from the largest, or by date from the latest. */
export function sortDirectoryEntries(
  entries: readonly DirectoryEntry[],
  order: SortOrder,
): readonly DirectoryEntry[] {
  const getKey = SORT_KEYS[order];
  // An entry may parse its line at each access, so each key is read once and not in every comparison.
  return entries
    .map((entry) => ({ entry, key: getKey(entry) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ entry }) => entry);
}

/**
 * Returns the markup for the start of a directory table. The column titles, except "Kind", are links that sort the
 * table.
 */
export function renderDirectoryTableTop(url: Url, view: ResourceViewName, links: LinkBuilder): Html {
  const title = (order: SortOrder, text: string, extra = ""): Html => {
    const current =
      view === order ? html` aria-sort="${order === "name" ? "ascending" : "descending"}"` : html``;
    const column = extra === "" ? html`` : html` class="${extra}"`;
    return html`<th scope="col"${column}${current}><a href="${links.formatUrlHref(url, order)}">${text}</a></th>`;
  };
  return html`<div class="scroll"><table>
<thead><tr>${title("name", "Name")}<th scope="col" class="kind">Kind</th>${title("size", "Size", "number")}${title("date", "Modified", "when")}</tr></thead>
<tbody>
`;
}

export const DIRECTORY_TABLE_END: Html = html`</tbody></table></div>
`;

export function renderDirectoryTableRow(
  { name, url, kind, size, modified, fault }: DirectoryEntry,
  links: LinkBuilder,
): Html {
  const href = url && links.formatUrlHref(url);
  const link = href === undefined ? html`${name}` : html`<a href="${href}">${name}</a>`;
  return html`<tr><td>${link}${renderEntryFault(fault)}</td><td class="kind">${kind}</td><td class="number">${size}</td><td class="when">${formatDate(modified)}</td></tr>
`;
}

/** Returns the markup that explains why a line of a listing could not be parsed. */
export function renderEntryFault(fault: string | undefined): Html {
  return fault === undefined ? html`` : html` <span class="failure">${fault}</span>`;
}

function formatDate(date: Date | undefined): string | undefined {
  if (!date || Number.isNaN(date.getTime())) return undefined;
  return date.toISOString().slice(0, 16).replace("T", " ");
}
