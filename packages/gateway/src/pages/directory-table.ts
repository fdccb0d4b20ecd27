import type { DirectoryEntry, Url } from "@anyscheme/core";
import type { ResourceViewName } from "../request/gateway-path.ts";
import { html, type Html, truncateText } from "./html.ts";
import type { LinkBuilder } from "./link-builder.ts";

type SortOrder = "name" | "size" | "date";

/**
 * The functions that return the sort key of a directory entry. In the sorted table, the entry with the smallest key is
 * the first.
 */
const SORT_KEYS: Readonly<Record<SortOrder, (entry: DirectoryEntry) => string | number>> = {
  name: ({ name }) => name,
  size: ({ size = -1 }) => -size,
  // The sort key of an invalid date would be NaN, which has no order, so it becomes 0.
  date: ({ modified }) => -(modified?.getTime() ?? 0) || 0,
};

/** True for a view of a gateway page that sorts the directory listing. */
export function isSortOrder(view: ResourceViewName): view is SortOrder {
  return view in SORT_KEYS;
}

/** Sorts the entries of a directory: by name from A, by size from the largest, or by date from the latest. */
export function sortDirectoryEntries(
  entries: readonly DirectoryEntry[],
  order: SortOrder,
): readonly DirectoryEntry[] {
  const getKey = SORT_KEYS[order];
  // A directory entry may parse its line at each access, so each sort key is read once and not in every comparison.
  return entries
    .map((entry) => ({ entry, key: getKey(entry) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ entry }) => entry);
}

/** The options of the titles that sort a table: the URL and the view of the page. */
interface SortableTable {
  readonly url: Url;
  readonly view: ResourceViewName;
  readonly links: LinkBuilder;
}

/**
 * Returns the markup for the start of a directory table. The column titles, except "Kind", are links that sort the
 * table.
 */
export function renderDirectoryTableTop(table: SortableTable): Html {
  const name = renderSortableTitle(table, "name", "Name");
  const size = renderSortableTitle(table, "size", "Size", "number");
  const date = renderSortableTitle(table, "date", "Modified", "when");
  return html`<div class="scroll"><table>
<thead><tr>${name}<th scope="col" class="kind">Kind</th>${size}${date}</tr></thead>
<tbody>
`;
}

/** Returns the title of a column as a link that sorts the table. */
function renderSortableTitle(
  { url, view, links }: SortableTable,
  order: SortOrder,
  text: string,
  columnClass?: string,
): Html {
  const current =
    view === order ? html` aria-sort="${order === "name" ? "ascending" : "descending"}"` : html``;
  const column = columnClass === undefined ? html`` : html` class="${columnClass}"`;
  return html`<th scope="col"${column}${current}><a href="${links.formatUrlHref(url, order)}">${text}</a></th>`;
}

/** The markup for the end of a directory table and of a newsgroup table. */
export const TABLE_END_HTML: Html = html`</tbody></table></div>
`;

export function renderDirectoryTableRow(entry: DirectoryEntry, links: LinkBuilder): Html {
  const { kind, size, modified } = entry;
  return html`<tr><td>${renderEntryName(entry, links)}</td><td class="kind">${kind}</td><td class="number">${size}</td><td class="when">${formatDate(modified)}</td></tr>
`;
}

function renderEntryName({ name, url, fault }: DirectoryEntry, links: LinkBuilder): Html {
  const href = url && links.formatUrlHref(url);
  const link = href === undefined ? html`${name}` : html`<a href="${href}">${name}</a>`;
  return html`${link}${renderEntryFault(fault)}`;
}

/** The listing entry of a newsgroup. RFC 3977 §7.6. */
interface NewsgroupEntry extends DirectoryEntry {
  /** The posting status of the group, or undefined for a line that cannot be parsed. */
  readonly status: string | undefined;
  readonly description: string | undefined;
}

/** The maximum length of the description of a newsgroup. */
const MAX_DESCRIPTION_LENGTH = 200;

export function isNewsgroupEntry(entry: DirectoryEntry): entry is NewsgroupEntry {
  return "status" in entry && "description" in entry;
}

/**
 * Returns the markup for the start of a table of newsgroups. The column title "Name" is a link that sorts the table.
 */
export function renderNewsgroupTableTop(table: SortableTable): Html {
  return html`<div class="scroll"><table>
<thead><tr>${renderSortableTitle(table, "name", "Name")}<th scope="col">Description</th></tr></thead>
<tbody>
`;
}

export function renderNewsgroupTableRow(entry: DirectoryEntry, links: LinkBuilder): Html {
  const { description = "" } = isNewsgroupEntry(entry) ? entry : {};
  return html`<tr><td>${renderEntryName(entry, links)}</td><td>${truncateText(description, MAX_DESCRIPTION_LENGTH)}</td></tr>
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
