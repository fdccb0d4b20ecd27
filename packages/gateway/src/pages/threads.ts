import type { Entry } from "@anyscheme/core";
import { html, type Html } from "../html.ts";
import type { Links } from "../links.ts";

/** An article of a news group, as its overview tells it. RFC 3977 §8. */
export interface ArticleEntry extends Entry {
  readonly subject: string;
  readonly from: string;
  /** As the article writes it. */
  readonly date?: string | undefined;
  readonly messageId?: string | undefined;
  readonly references?: readonly string[] | undefined;
}

interface Node {
  readonly entry: ArticleEntry;
  readonly replies: Node[];
}

/** Replies nested deeper than this stand beside each other: no page is that wide. */
const MAX_DEPTH = 12;

export function isArticle(entry: Entry): entry is ArticleEntry {
  return "subject" in entry && "from" in entry;
}

/** Articles as threads: each below the nearest of its references that is there. A reference to a later article begins no circle. */
export function threads(entries: readonly ArticleEntry[], links: Links): Html {
  const known = new Map<string, Node>();
  const roots: Node[] = [];
  const nodes = entries.map((entry) => ({ entry, replies: [] }) satisfies Node as Node);
  for (const node of nodes) {
    const parent = node.entry.references?.findLast((id) => known.has(id));
    (parent === undefined ? roots : (known.get(parent)?.replies ?? roots)).push(node);
    if (node.entry.messageId !== undefined) known.set(node.entry.messageId, node);
  }
  return html`<ul class="thread">
    ${roots.map((node) => branch(node, 0, links))}
  </ul> `;
}

function branch({ entry, replies }: Node, depth: number, links: Links): Html {
  const href = entry.url && links.to(entry.url);
  const subject = entry.subject === "" ? "(no subject)" : entry.subject;
  const shown = href === undefined ? html`${subject}` : html`<a href="${href}">${subject}</a>`;
  const line = html`${shown} <span class="soft">${entry.from}, ${dayOf(entry)}</span>`;
  const below = replies.map((reply) => branch(reply, depth + 1, links));
  if (below.length === 0)
    return html`<li>${line}</li>
`;
  if (depth >= MAX_DEPTH)
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

function dayOf({ modified, date = "" }: ArticleEntry): string {
  if (modified && !Number.isNaN(modified.getTime())) return modified.toISOString().slice(0, 10);
  return date === "" ? "undated" : date;
}
