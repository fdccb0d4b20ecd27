import type { Client, ContentResource, Resource, TraceEvent, Url } from "@anyscheme/core";
import type { Address, View } from "./address.ts";
import { dispositionOf, EVERY_REPLY, BYTES, PAGE } from "./headers.ts";
import { html } from "./html.ts";
import type { Links } from "./links.ts";
import type { GatewayReply } from "./message.ts";
import { Outflow } from "./outflow.ts";
import { articleLinks, articleOf } from "./pages/article.ts";
import { bodyOf } from "./pages/body.ts";
import { detailsOf } from "./pages/details.ts";
import { brokenOff } from "./pages/failure.ts";
import { bottom, type Crumb, type Frame, top } from "./pages/layout.ts";
import { trailOf } from "./pages/trail.ts";
import { type Bytes, representationOf } from "./representation.ts";
import { Refusal } from "./status.ts";
import { contentRange, type Wish } from "./wish.ts";

/** What showing needs besides the resource. */
export interface Showing {
  readonly client: Client;
  readonly links: Links;
  /** The form that the resource is the answer to; its URL stands in the page, and what was filled in stays out. */
  readonly form?: Url | undefined;
  readonly address: Address;
  readonly events: readonly TraceEvent[];
  /** What of the content was asked for. */
  readonly wish: Wish;
  readonly maxTextBytes: number;
  readonly maxRawBytes: number;
  /** Counts the request as a download from now on. Throws `Refusal` at the limit of downloads. */
  readonly toDownloads: () => void;
}

/** Shows a resource: the whole reply. What fails before the first byte is thrown; later, the page says so, and bytes are cut. */
export async function show(resource: Resource, showing: Showing, reply: GatewayReply): Promise<void> {
  if (resource.kind === "not-modified") {
    reply.begin(304, EVERY_REPLY);
    return reply.end();
  }
  if (resource.kind !== "content") return showPage(resource, showing, reply);
  const how = representationOf(resource, showing.address.view);
  if (how.as === "text") return showPage(resource, showing, reply);
  const { maxRawBytes } = showing;
  if (resource.size !== undefined && resource.size > maxRawBytes)
    throw new Refusal(502, `It is longer than the ${maxRawBytes} bytes that are handed over here.`);
  if (!reply.headOnly) showing.toDownloads();
  const { status, headers } = headOf(resource, how, showing);
  reply.begin(status, headers);
  if (reply.headOnly) return reply.end();
  try {
    await pour(resource, reply, maxRawBytes);
    reply.end();
  } catch {
    // The status has gone out: all that is left to say is that this was not the end.
    reply.cut();
  }
}

function headOf(
  resource: ContentResource,
  { mediaType, disposition }: Bytes,
  { client, form = resource.url, wish: { range } }: Showing,
): { status: number; headers: Record<string, string> } {
  const { size, modified } = resource;
  const name = lastPartOf(client.format(form));
  const part = range && contentRange(resource, range);
  const headers: Record<string, string> = Object.assign({}, BYTES, {
    "content-type": mediaType,
    "content-disposition": dispositionOf(disposition, name),
  });
  if (part !== undefined) headers["content-range"] = part;
  if (size !== undefined) headers["content-length"] = String(size);
  if (modified) headers["last-modified"] = modified.toUTCString();
  return { status: part === undefined ? 200 : 206, headers };
}

/** The last part of a URL that is not empty. */
function lastPartOf(text: string): string {
  let end = text.length;
  while (end > 0 && "/?".includes(text.charAt(end - 1))) end--;
  const start = Math.max(text.lastIndexOf("/", end - 1), text.lastIndexOf("?", end - 1)) + 1;
  return text.slice(start, end);
}

async function pour(resource: ContentResource, reply: GatewayReply, maxBytes: number): Promise<void> {
  let poured = 0;
  for await (const bytes of resource) {
    poured += bytes.length;
    if (poured > maxBytes) throw new Error("it is longer than what is handed over here");
    await reply.write(bytes);
  }
}

async function showPage(resource: Resource, showing: Showing, reply: GatewayReply): Promise<void> {
  const out = new Outflow(reply);
  const parts = bodyOf(resource, showing);
  // What fails here still has a status of its own.
  const first = await parts.next();
  reply.begin(200, PAGE);
  if (reply.headOnly) return reply.end();
  await out.write(top(frameOf(resource, showing)));
  try {
    if (!first.done) await out.write(first.value);
    for await (const part of parts) await out.write(part);
  } catch (error) {
    await out.write(brokenOff(error));
  }
  await out.write(
    bottom(showing.form ? html`` : detailsOf(resource.plan, showing.events, resource.redirectChain)),
  );
  out.end();
}

function frameOf(resource: Resource, { client, links, form, address }: Showing): Frame {
  const { kind } = resource;
  const url = form ?? resource.url;
  const crumbs = trailOf(url, client, links);
  const view = (text: string, name: View): Crumb => ({ text, href: links.to(url, name) });
  const article = articleOf(resource);
  return {
    title: titleOf(resource, crumbs),
    url: client.format(url),
    crumbs,
    views:
      kind === "content" && address.view === "page" && !form
        ? [view("view raw", "raw"), view("download", "download")]
        : [],
    related: article ? articleLinks(article, client, links) : [],
    own: links.own,
  };
}

function titleOf(resource: Resource, crumbs: readonly Crumb[]): string {
  if (resource.kind === "form" && resource.title) return resource.title;
  // Nothing is not a title.
  return articleOf(resource)?.subject || (crumbs.at(-1)?.text ?? "");
}
