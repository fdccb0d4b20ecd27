import type { Client, ContentResource, DirectoryEntry, Resource } from "@anyscheme/core";
import { percentEncode } from "@anyscheme/core/syntax";
import { html, type Html } from "./html.ts";
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

export function isArticleEntry(entry: DirectoryEntry): entry is ArticleEntry {
  return "subject" in entry && "from" in entry;
}

/**
 * Returns the markup of news articles as threads. The page shows an article as a reply to the last article in its
 * References field that is earlier in the list.
 */
export function renderThreads(entries: readonly ArticleEntry[], links: LinkBuilder): Html {
  const known = new Map<string, ThreadNode>();
  const roots: ThreadNode[] = [];
  const nodes = entries.map((entry) => ({ entry, replies: [] }) satisfies ThreadNode as ThreadNode);
  for (const node of nodes) {
    const parent = node.entry.references?.findLast((id) => known.has(id));
    (parent === undefined ? roots : (known.get(parent)?.replies ?? roots)).push(node);
    if (node.entry.messageId !== undefined) known.set(node.entry.messageId, node);
  }
  return html`<ul class="thread">
    ${roots.map((node) => renderThreadNode(node, 0, links))}
  </ul> `;
}

function renderThreadNode({ entry, replies }: ThreadNode, depth: number, links: LinkBuilder): Html {
  const href = entry.url && links.formatUrlHref(entry.url);
  const subject = entry.subject === "" ? "(no subject)" : entry.subject;
  const shown = href === undefined ? html`${subject}` : html`<a href="${href}">${subject}</a>`;
  const line = html`${shown} <span class="soft">${entry.from}, ${formatArticleDate(entry)}</span>`;
  const below = replies.map((reply) => renderThreadNode(reply, depth + 1, links));
  if (below.length === 0)
    return html`<li>${line}</li>
`;
  if (depth >= MAX_THREAD_DEPTH)
    return html`<li>${line}</li>
      ${below}`;
  return html`<li>
    ${line}
    <ul>
      ${below}
    </ul>
  </li>
`;
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

/** Returns the article of a resource, or undefined when the resource is no article. */
export function getArticleOfResource(resource: Resource): ArticleHeader | undefined {
  return resource.kind === "content" && "article" in resource
    ? (resource as ContentResource & { article: ArticleHeader }).article
    : undefined;
}

/** Returns links to the newsgroups and the references of an article. */
export function createArticleLinks(
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
    ...newsgroups.flatMap((group) => link(group, group)),
    ...references.slice(-MAX_ARTICLE_REFERENCES).flatMap((id) => link(`<${id}>`, id)),
  ];
}
