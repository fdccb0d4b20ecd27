import type { ContentResource, DirectoryResource, Entry, Resource } from "@anyscheme/core";
import { Html, html, preformatted } from "../html.ts";
import { charsetOf } from "../representation.ts";
import type { Showing } from "../show.ts";
import { mailboxBody, serviceBody } from "./advice.ts";
import { formBody } from "./form.ts";
import { isOrder, listingBottom, listingRow, listingTop, sorted } from "./listing.ts";
import { menuLine } from "./menu.ts";
import { type ArticleEntry, isArticle, threads } from "./threads.ts";

/** Entries of one page; the rest is on further ones. */
const PAGE_ENTRIES = 1_000;
/** Entries that are put in order; of more, the first so many. */
const MAX_SORTED = 20_000;

/** What a resource has to show, in pieces as it arrives. */
export function bodyOf(resource: Resource, showing: Showing): AsyncGenerator<Html> {
  const { links } = showing;
  switch (resource.kind) {
    case "content":
      return textBody(resource, showing.maxTextBytes);
    case "directory":
      return directoryBody(resource, showing);
    case "form":
      return alone(formBody(resource, links));
    case "service":
      return alone(serviceBody(resource));
    case "mailbox":
      return alone(mailboxBody(resource));
    default:
      // What has not changed has a status, and no page.
      return alone(html``);
  }
}

async function* alone(body: Html): AsyncGenerator<Html> {
  yield body;
}

async function* textBody(resource: ContentResource, maxBytes: number): AsyncGenerator<Html> {
  const decoder = new TextDecoder(charsetOf(resource.mediaType));
  let shown = 0;
  let begun = false;
  let held = "";
  try {
    for await (const bytes of resource) {
      const text = held + decoder.decode(bytes, { stream: true });
      // A line end may be cut in two.
      held = text.endsWith("\r") ? "\r" : "";
      const lines = preformatted(held === "" ? text : text.slice(0, -1));
      yield begun ? lines : html`<pre class="plain">${lines}`;
      begun = true;
      shown += bytes.length;
      if (shown >= maxBytes) break;
    }
    if (begun) yield preformatted(held + decoder.decode());
  } finally {
    if (begun) yield html`</pre>`;
  }
  if (!begun) yield html`<p>It is empty.</p>`;
  if (shown >= maxBytes) yield html`<p class="soft">The text goes on; “view raw” gives all of it.</p>`;
}

async function* directoryBody(
  resource: DirectoryResource,
  { links, form, address }: Showing,
): AsyncGenerator<Html> {
  const { view, from } = address;
  const url = form ?? resource.url;
  const all = isOrder(view) ? await collected(resource, MAX_SORTED) : undefined;
  const entries = all && isOrder(view) ? sorted(all.entries, view) : resource;
  const articles: ArticleEntry[] = [];
  let index = 0;
  let shape: Shape | undefined;
  let more = false;
  try {
    for await (const entry of entries) {
      if (index++ < from) continue;
      more = index > from + PAGE_ENTRIES;
      if (more) break;
      if (shape === undefined) {
        shape = shapeOf(entry);
        if (shape === "table") yield listingTop(url, view, links);
        if (shape === "menu") yield new Html(`<ul class="menu">\n`);
      }
      // Each line goes out by itself: a server may take its time for the next one.
      if (shape === "menu") yield menuLine(entry, index, links);
      else if (shape === "table") yield listingRow(entry, links);
      else if (isArticle(entry)) articles.push(entry);
    }
  } finally {
    // Nothing, when it has failed before there was anything: that has a status of its own.
    if (shape === "table") yield listingBottom;
    if (shape === "menu") yield new Html("</ul>");
    if (shape === "threads") yield threads(articles, links);
  }
  if (shape === undefined) yield html`<p>There is nothing in it.</p>`;
  if (more) {
    const next = links.to(url, view, from + PAGE_ENTRIES);
    yield html`<p><a href="${next}">The next ${PAGE_ENTRIES}</a></p>`;
  }
  const isReadWhole = all ? all.isWhole : !more;
  if (all && !all.isWhole) yield html`<p class="soft">Only the first ${MAX_SORTED} entries are sorted.</p>`;
  if (isReadWhole && (await resource.completeness) === "truncated")
    yield html`<p class="failure" role="alert">The listing is incomplete: the server left entries out.</p>`;
}

type Shape = "table" | "menu" | "threads";

/** A list is shown as its first entry asks for. */
function shapeOf(entry: Entry): Shape {
  if (isArticle(entry)) return "threads";
  return "itemType" in entry || "score" in entry ? "menu" : "table";
}

async function collected(
  directory: AsyncIterable<Entry>,
  max: number,
): Promise<{ readonly entries: readonly Entry[]; readonly isWhole: boolean }> {
  const entries: Entry[] = [];
  for await (const entry of directory) {
    if (entries.length >= max) return { entries, isWhole: false };
    entries.push(entry);
  }
  return { entries, isWhole: true };
}
