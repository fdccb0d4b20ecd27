import type { Client, ContentResource, Resource, TranscriptEvent } from "@anyscheme/core";
import type { Address, View } from "./address.ts";
import { dispositionOf, OCTETS, PAGE } from "./headers.ts";
import type { Links } from "./links.ts";
import type { GatewayReply } from "./message.ts";
import { Outflow } from "./outflow.ts";
import { bodyOf } from "./pages/body.ts";
import { detailsOf } from "./pages/details.ts";
import { brokenOff } from "./pages/failure.ts";
import { bottom, type Crumb, type Frame, top } from "./pages/layout.ts";
import { trailOf } from "./pages/trail.ts";
import { representationOf } from "./representation.ts";

/** A raw view is read so much at a time. */
const BLOCK_BYTES = 65_536;

/** What showing needs besides the resource. */
export interface Showing {
  readonly client: Client;
  readonly links: Links;
  readonly address: Address;
  readonly events: readonly TranscriptEvent[];
  readonly maxTextBytes: number;
}

/** Shows a resource: the whole reply. What fails before the first octet is thrown; later, the page says so, and octets are cut. */
export async function show(resource: Resource, showing: Showing, reply: GatewayReply): Promise<void> {
  if (resource.kind !== "content") return showPage(resource, showing, reply);
  const how = representationOf(resource, showing.address.view);
  if (how.as === "text") return showPage(resource, showing, reply);
  const name = showing.client
    .format(resource.url)
    .split(/[/?]/)
    .findLast((part) => part !== "");
  const length = resource.size === undefined ? {} : { "content-length": String(resource.size) };
  reply.begin(200, {
    ...OCTETS,
    ...length,
    "content-type": how.mediaType,
    "content-disposition": dispositionOf(how.disposition, name),
  });
  try {
    await pour(resource, reply);
    reply.end();
  } catch {
    // The status has gone out: all that is left to say is that this was not the end.
    reply.cut();
  }
}

async function pour(resource: ContentResource, reply: GatewayReply): Promise<void> {
  const reader = resource.body.getReader({ mode: "byob" });
  for (;;) {
    // A buffer of its own for each piece: the reply may hold on to it.
    const { done, value } = await reader.read(new Uint8Array(BLOCK_BYTES));
    if (done) return;
    await reply.write(value);
  }
}

async function showPage(resource: Resource, showing: Showing, reply: GatewayReply): Promise<void> {
  const out = new Outflow(reply);
  const parts = bodyOf(resource, showing);
  // What fails here still has a status of its own.
  const first = await parts.next();
  reply.begin(200, PAGE);
  await out.write(top(frameOf(resource, showing)));
  try {
    if (!first.done) await out.write(first.value);
    for await (const part of parts) await out.write(part);
  } catch (error) {
    await out.write(brokenOff(error));
  }
  await out.write(bottom(detailsOf(resource.plan, showing.events)));
  await out.flush();
  reply.end();
}

function frameOf(resource: Resource, { client, links, address }: Showing): Frame {
  const { url, kind } = resource;
  const crumbs = trailOf(url, client, links);
  const view = (text: string, name: View): Crumb => ({ text, href: links.to(url, name) });
  return {
    title: titleOf(resource, crumbs),
    url: client.format(url),
    crumbs,
    views:
      kind === "content" && address.view === "page"
        ? [view("view raw", "raw"), view("download", "download")]
        : [],
    own: links.own,
  };
}

function titleOf(resource: Resource, crumbs: readonly Crumb[]): string {
  if (resource.kind === "form" && resource.title) return resource.title;
  if ("article" in resource) {
    const { article } = resource as { article: { subject?: unknown } };
    if (typeof article.subject === "string" && article.subject !== "") return article.subject;
  }
  return crumbs.at(-1)?.text ?? "";
}
