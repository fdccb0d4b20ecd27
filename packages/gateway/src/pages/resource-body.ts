import type {
  ContentResource,
  DirectoryResource,
  DirectoryEntry,
  Resource,
  MailboxResource,
  ServiceResource,
} from "@anyscheme/core";
import { Html, html, escapePreformattedText } from "./html.ts";
import { getCharsetOrUtf8 } from "@anyscheme/core/plugin";
import type { LinkBuilder } from "./link-builder.ts";
import type { ResourceRenderContext } from "./write-resource-response.ts";
import { renderFormResource } from "./render-form-resource.ts";
import {
  isNewsgroupEntry,
  isSortOrder,
  TABLE_END_HTML,
  renderDirectoryTableRow,
  renderDirectoryTableTop,
  renderNewsgroupTableRow,
  renderNewsgroupTableTop,
  sortDirectoryEntries,
} from "./directory-table.ts";
import { renderMenuLine, renderSearchForm } from "./menu-line-and-search-form.ts";
import { type ArticleEntry, isArticleEntry, renderThreads } from "./news-threads.ts";

/** The maximum number of directory entries on one page. The page of a long directory has a link to the next entries. */
const MAX_ENTRIES_PER_PAGE = 1_000;
/**
 * The number of characters after which a page shows no further entries of a table or menu. The markup of an entry may
 * be many times longer than its line, because it repeats the URL of the directory and contains escapes.
 */
const MAX_LISTING_MARKUP = 2_097_152;
/**
 * The maximum number of directory entries to sort. A sorted page omits the entries of a directory after the first
 * `MAX_SORTED_ENTRIES`.
 */
const MAX_SORTED_ENTRIES = 20_000;

/** Yields the markup of a resource in parts while the content of the resource arrives. */
export async function* renderResourceBody(
  resource: Resource,
  context: ResourceRenderContext,
): AsyncGenerator<Html> {
  const { linkBuilder, maxTextBytes } = context;
  if (resource.kind === "content") yield* renderText(resource, maxTextBytes);
  else if (resource.kind === "directory") yield* renderDirectory(resource, context);
  else if (resource.kind === "form") yield* renderFormResource(resource, linkBuilder);
  else if (resource.kind === "service") yield renderInteractiveService(resource);
  else if (resource.kind === "mailbox") yield renderMailtoLinkAndHeaders(resource);
}

async function* renderText(resource: ContentResource, maxBytes: number): AsyncGenerator<Html> {
  const decoder = new TextDecoder(getCharsetOrUtf8(resource.mediaType));
  let length = 0;
  let hasBegun = false;
  let heldBack = "";
  try {
    for await (const chunk of resource) {
      const text = heldBack + decoder.decode(chunk, { stream: true });
      // A CR at the end of a chunk of a text is kept for the next chunk, which may begin with the LF.
      heldBack = text.endsWith("\r") ? "\r" : "";
      const lines = escapePreformattedText(heldBack === "" ? text : text.slice(0, -1));
      yield hasBegun ? lines : html`<pre class="plain">${lines}`;
      hasBegun = true;
      length += chunk.length;
      if (length >= maxBytes) break;
    }
    if (hasBegun) yield escapePreformattedText(heldBack + decoder.decode());
  } finally {
    if (hasBegun) yield html`</pre>`;
  }
  if (!hasBegun) yield html`<p>The content is empty.</p>`;
  if (length >= maxBytes)
    yield html`<p class="soft">Only the beginning of the text is shown. “view raw” shows all of it.</p>`;
}

async function* renderDirectory(
  resource: DirectoryResource,
  { linkBuilder, submittedFormUrl, gatewayPath }: ResourceRenderContext,
): AsyncGenerator<Html> {
  const { view, firstEntryIndex } = gatewayPath;
  const url = submittedFormUrl ?? resource.url;
  const all = isSortOrder(view) ? await collectEntries(resource, MAX_SORTED_ENTRIES) : undefined;
  const entries = all && isSortOrder(view) ? sortDirectoryEntries(all.entries, view) : resource;
  const table = { url, view, links: linkBuilder };
  const searchForm =
    url.scheme === "wais" ? renderSearchForm(url.href, "Search this database", "words", linkBuilder) : html``;
  const articles: ArticleEntry[] = [];
  let index = 0;
  let markupLength = 0;
  let layout: ListingLayout | undefined;
  let hasMore = false;
  try {
    for await (const entry of entries) {
      if (index++ < firstEntryIndex) continue;
      hasMore = index > firstEntryIndex + MAX_ENTRIES_PER_PAGE || markupLength > MAX_LISTING_MARKUP;
      if (hasMore) break;
      if (layout === undefined) {
        layout = selectListingLayout(entry);
        yield searchForm;
        if (layout === "table") yield renderDirectoryTableTop(table);
        if (layout === "newsgroups") yield renderNewsgroupTableTop(table);
        if (layout === "menu") yield new Html(`<ul class="menu">\n`);
      }
      if (layout === "threads") {
        if (isArticleEntry(entry)) articles.push(entry);
        continue;
      }
      const row = renderListingEntry(entry, layout, index, linkBuilder);
      markupLength += row.markup.length;
      // Yields each row immediately, because the next row may arrive much later.
      yield row;
    }
  } finally {
    // A failure before the first entry yields no markup, so the gateway can still send an error status.
    if (layout === "table" || layout === "newsgroups") yield TABLE_END_HTML;
    if (layout === "menu") yield new Html("</ul>");
    if (layout === "threads") yield* renderThreads(articles, linkBuilder);
  }
  const isTooLongToSort = all?.isComplete === false;
  if (layout === undefined) yield searchForm;
  if (layout === undefined && !isTooLongToSort)
    yield renderNoticeWithoutEntries(index, linkBuilder.formatUrlHref(url, view));
  if (hasMore) {
    const next = linkBuilder.formatUrlHref(url, view, index - 1);
    yield html`<p><a href="${next}">Next entries</a></p>`;
  }
  if (isTooLongToSort)
    yield html`<p class="soft">
      Only the first ${MAX_SORTED_ENTRIES} entries are sorted. <a href="${linkBuilder.formatUrlHref(url)}">All entries, unsorted</a>
    </p>`;
  const isComplete = all ? all.isComplete : !hasMore;
  if (isComplete && (await resource.completeness) === "truncated")
    yield html`<p class="failure" role="alert">The listing is incomplete: the server omitted entries.</p>`;
}

/** Returns the notice on a page without entries, for the number of entries of the listing. */
function renderNoticeWithoutEntries(entryCount: number, firstPageHref: string | undefined): Html {
  if (entryCount === 0) return html`<p>The listing is empty.</p>`;
  const count = entryCount === 1 ? "1 entry" : `${entryCount} entries`;
  return html`<p>The listing has only ${count}. <a href="${firstPageHref}">First entries</a></p>`;
}

type ListingLayout = "table" | "newsgroups" | "menu" | "threads";

/** Selects the layout of a listing on a gateway page by the first entry. */
function selectListingLayout(entry: DirectoryEntry): ListingLayout {
  if (isArticleEntry(entry)) return "threads";
  if (isNewsgroupEntry(entry)) return "newsgroups";
  return "itemType" in entry || "score" in entry ? "menu" : "table";
}

function renderListingEntry(
  entry: DirectoryEntry,
  layout: Exclude<ListingLayout, "threads">,
  index: number,
  links: LinkBuilder,
): Html {
  if (layout === "menu") return renderMenuLine(entry, index, links);
  return layout === "newsgroups"
    ? renderNewsgroupTableRow(entry, links)
    : renderDirectoryTableRow(entry, links);
}

async function collectEntries(
  directory: AsyncIterable<DirectoryEntry>,
  max: number,
): Promise<{ readonly entries: readonly DirectoryEntry[]; readonly isComplete: boolean }> {
  const entries: DirectoryEntry[] = [];
  for await (const entry of directory) {
    if (entries.length >= max) return { entries, isComplete: false };
    entries.push(entry);
  }
  return { entries, isComplete: true };
}

/**
 * Returns the markup that describes an interactive service, such as a Telnet server. The user name in a telnet URL
 * is only a suggestion. RFC 1738 §3.8.
 */
export function renderInteractiveService({ url, host, port, user }: ServiceResource): Html {
  return html`<p>
      This is an interactive service. A program on your own machine can open it:
      <a href="${url.href}">${url.href}</a>
    </p>
    <dl>
      <dt>Host</dt>
      <dd>${host}</dd>
      <dt>Port</dt>
      <dd>${port}</dd>
      ${
        user === undefined
          ? undefined
          : html`<dt>Suggested user</dt>
              <dd>${user}</dd>`
      }
    </dl> `;
}

/** Returns the markup that describes a mailbox. RFC 1738 §3.5. */
export function renderMailtoLinkAndHeaders({ url, recipients, headers }: MailboxResource): Html {
  const names = recipients.map(({ address }) => address).join(", ") || "new message";
  return html`<p>This is a mailbox. Your mail program can write to it: <a href="${url.href}">${names}</a></p>
    <dl>
      ${headers.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl> `;
}
