import type { ContentResource, DirectoryResource, Entry, Resource } from "@anyscheme/core";
import { html, type Html, preformatted } from "../html.ts";
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
export async function* bodyOf(resource: Resource, showing: Showing): AsyncGenerator<Html> {
  const { links } = showing;
  switch (resource.kind) {
    case "content":
      yield* textBody(resource, showing.maxTextBytes);
      break;
    case "directory":
      yield* directoryBody(resource, showing);
      break;
    case "form":
      yield formBody(resource, links);
      break;
    case "service":
      yield serviceBody(resource);
      break;
    case "mailbox":
      yield mailboxBody(resource);
      break;
    case "not-modified":
      yield html`<p>It has not changed.</p>`;
  }
}

async function* textBody(resource: ContentResource, maxBytes: number): AsyncGenerator<Html> {
  const decoder = new TextDecoder(charsetOf(resource.mediaType));
  let shown = 0;
  let begun = false;
  try {
    for await (const octets of resource) {
      const text = preformatted(decoder.decode(octets, { stream: true }));
      yield begun ? text : html`<pre class="plain">${text}`;
      begun = true;
      shown += octets.length;
      if (shown >= maxBytes) break;
    }
    if (begun) yield preformatted(decoder.decode());
  } finally {
    if (begun) yield html`</pre>`;
  }
  if (!begun) yield html`<p>It is empty.</p>`;
  if (shown >= maxBytes) yield html`<p class="soft">The text goes on; “view raw” gives all of it.</p>`;
}

async function* directoryBody(
  resource: DirectoryResource,
  { links, address }: Showing,
): AsyncGenerator<Html> {
  const { view, from } = address;
  const entries = isOrder(view) ? sorted(await collected(resource, MAX_SORTED), view) : resource;
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
        if (shape === "table") yield listingTop(resource.url, view, links);
        if (shape === "menu")
          yield html`<ul class="menu">
`;
      }
      if (shape === "menu") yield menuLine(entry, index, links);
      else if (shape === "table") yield listingRow(entry, links);
      else if (isArticle(entry)) articles.push(entry);
    }
  } finally {
    if (shape === "table") yield listingBottom;
    if (shape === "menu") yield html`</ul>`;
    if (shape === "threads") yield threads(articles, links);
  }
  if (shape === undefined) yield html`<p>There is nothing in it.</p>`;
  if (more) {
    const next = links.to(resource.url, view, from + PAGE_ENTRIES);
    yield html`<p><a href="${next}">The next ${PAGE_ENTRIES}</a></p>`;
  }
}

type Shape = "table" | "menu" | "threads";

/** A list is shown as its first entry asks for. */
function shapeOf(entry: Entry): Shape {
  if (isArticle(entry)) return "threads";
  return "itemType" in entry || "score" in entry ? "menu" : "table";
}

async function collected(entries: AsyncIterable<Entry>, max: number): Promise<Entry[]> {
  const all: Entry[] = [];
  for await (const entry of entries) {
    all.push(entry);
    if (all.length >= max) break;
  }
  return all;
}
