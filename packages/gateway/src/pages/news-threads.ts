import type { Client, ContentResource, DirectoryEntry, Resource } from "@anyscheme/core";
import { percentEncode } from "@anyscheme/core/syntax";
import { decodeEncodedWords } from "@anyscheme/core/text";
import { Html, html, truncateText } from "./html.ts";
import type { PageLink } from "./page-layout.ts";
import type { LinkBuilder } from "./link-builder.ts";

/** The listing entry of an article in a newsgroup. RFC 3977 §8. */
export interface ArticleEntry extends DirectoryEntry {
  readonly subject: string;
  readonly from: string;
  /** The text of the article's header field Date. */
  readonly date?: string | undefined;
  readonly messageId?: string | undefined;
  readonly references?: readonly string[] | undefined;
}

interface ThreadNode {
  readonly entry: ArticleEntry;
  readonly replies: ThreadNode[];
}

const MAX_THREAD_DEPTH = 12;

/** The maximum length of a header field in a list of articles. The page of the article shows the whole header field. */
const MAX_FIELD_LENGTH = 200;

export function isArticleEntry(entry: DirectoryEntry): entry is ArticleEntry {
  return "subject" in entry && "from" in entry;
}

/**
 * Yields the markup of news articles as threads. The page shows an article as a reply to the last article in its
 * References field that is earlier in the list. Replies below the maximum depth have the indentation of that depth.
 */
export function* renderThreads(entries: readonly ArticleEntry[], links: LinkBuilder): Generator<Html> {
  yield new Html(`<ul class="thread">\n`);
  // The stack replaces a recursion, because every article of a long group may be a reply to the article before it.
  const pending = collectThreads(entries)
    .toReversed()
    .map((node) => ({ node, depth: 0 }));
  let openDepth = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { node, depth } = next;
    for (; openDepth > depth; openDepth--) yield new Html("</ul></li>\n");
    const { markup } = renderArticleLine(node.entry, links);
    const hasInnerList = node.replies.length > 0 && depth < MAX_THREAD_DEPTH;
    yield new Html(hasInnerList ? `<li>${markup}\n<ul>\n` : `<li>${markup}</li>\n`);
    if (hasInnerList) openDepth++;
    for (const reply of node.replies.toReversed()) pending.push({ node: reply, depth: openDepth });
  }
  yield new Html(`${"</ul></li>\n".repeat(openDepth)}</ul>\n`);
}

/** Returns the articles that are no replies, with the replies below them. */
function collectThreads(entries: readonly ArticleEntry[]): readonly ThreadNode[] {
  const known = new Map<string, ThreadNode>();
  const roots: ThreadNode[] = [];
  for (const entry of entries) {
    const node: ThreadNode = { entry, replies: [] };
    const parent = entry.references?.findLast((id) => known.has(id));
    (parent === undefined ? roots : (known.get(parent)?.replies ?? roots)).push(node);
    if (entry.messageId !== undefined) known.set(entry.messageId, node);
  }
  return roots;
}

function renderArticleLine(entry: ArticleEntry, links: LinkBuilder): Html {
  const href = entry.url && links.formatUrlHref(entry.url);
  const subject = truncateText(decodeEncodedWords(entry.subject), MAX_FIELD_LENGTH) || "(no subject)";
  const shown = href === undefined ? html`${subject}` : html`<a href="${href}">${subject}</a>`;
  const from = truncateText(decodeEncodedWords(entry.from), MAX_FIELD_LENGTH);
  const date = truncateText(formatArticleDate(entry), MAX_FIELD_LENGTH);
  return html`${shown} <span class="soft">${from}, ${date}</span>`;
}

function formatArticleDate({ modified, date = "" }: ArticleEntry): string {
  if (modified && !Number.isNaN(modified.getTime())) return modified.toISOString().slice(0, 10);
  return date === "" ? "undated" : date;
}

/** The header fields of a news article that its page uses. RFC 5536. */
interface ArticleHeader {
  readonly subject: string | undefined;
  readonly newsgroups: readonly string[];
  readonly references: readonly string[];
}

/**
 * An article may refer to hundreds of articles. The page of an article has links to the last references, which are the
 * closest articles in the thread.
 */
const MAX_ARTICLE_REFERENCES = 10;

export function getHeaderFieldsOfNewsArticle(resource: Resource): ArticleHeader | undefined {
  return resource.kind === "content" && "article" in resource
    ? (resource as ContentResource & { article: ArticleHeader }).article
    : undefined;
}

/** An article is in one or a few groups, but its header may name thousands. */
const MAX_ARTICLE_NEWSGROUPS = 20;

/** Returns links to the first newsgroups and the last references of an article. */
export function createNewsgroupAndReferenceLinks(
  { newsgroups, references }: ArticleHeader,
  client: Client,
  links: LinkBuilder,
): readonly PageLink[] {
  const link = (text: string, part: string): PageLink[] => {
    const { url } = client.tryParse(`news:${percentEncode(part).replaceAll("%40", "@")}`);
    const href = url && links.formatUrlHref(url);
    return href === undefined ? [] : [{ text, href }];
  };
  return [
    ...newsgroups.slice(0, MAX_ARTICLE_NEWSGROUPS).flatMap((group) => link(group, group)),
    ...references.slice(-MAX_ARTICLE_REFERENCES).flatMap((id) => link(`<${id}>`, id)),
  ];
}
