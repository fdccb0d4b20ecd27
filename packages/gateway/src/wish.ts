import {
  AccessError,
  type Client,
  type ContentResource,
  type Range,
  type Resource,
  type Url,
} from "@anyscheme/core";
import { httpDate } from "@anyscheme/core/plugin";
import type { View } from "./address.ts";
import type { GatewayRequest } from "./message.ts";
import { Refusal } from "./status.ts";

/** What a request asks for besides a URL: a part of the content, or only what has changed. */
export interface Wish {
  readonly range?: Range | undefined;
  readonly ifModifiedSince?: Date | undefined;
}

/** All of it, whether it has changed or not. */
export const NO_WISH: Wish = {};

/** RFC 9110 §14.1.2: one part that begins at a known byte. Every other kind may be ignored, and is. */
const BYTES = /^bytes=(\d{1,15})-(\d{1,15})?$/;

/** Reads the wish of a request. A part is only asked for where bytes are handed over, and of schemes that know parts. */
export function wishOf(request: GatewayRequest, view: View, url: Url, client: Client): Wish {
  const range = view === "raw" || view === "download" ? rangeOf(request) : undefined;
  const since = request.header("if-modified-since");
  if (!range && since === undefined) return NO_WISH;
  return {
    range: range && knowsParts(client, url, range) ? range : undefined,
    ifModifiedSince: httpDate(since),
  };
}

function rangeOf(request: GatewayRequest): Range | undefined {
  // RFC 9110 §13.1.5: whoever has another version gets the whole; there is nothing here to tell versions by.
  if (request.method !== "GET" || request.header("if-range") !== undefined) return undefined;
  const [, first, last] = BYTES.exec(request.header("range") ?? "") ?? [];
  if (first === undefined) return undefined;
  const range = { start: Number(first), ...(last !== undefined && { end: Number(last) + 1 }) };
  return range.end === undefined || range.end > range.start ? range : undefined;
}

function knowsParts(client: Client, url: Url, range: Range): boolean {
  try {
    client.plan(url, { range });
    return true;
  } catch (error) {
    // What else is wrong with the URL is told when it is dereferenced.
    if (error instanceof AccessError) return false;
    throw error;
  }
}

/** The head fields of a part; `undefined` where its length is not known. RFC 9110 §14.4. */
export function contentRange({ size }: ContentResource, { start, end }: Range): string | undefined {
  if (size === undefined || size === 0) return undefined;
  return `bytes ${start}-${start + size - 1}/${end === undefined ? start + size : "*"}`;
}

/** A part that begins at the end or behind it cannot be given. RFC 9110 §15.5.17. */
export function checkPart(resource: Resource, { range }: Wish): void {
  if (range && resource.kind === "content" && resource.size === 0)
    throw new Refusal(416, "The part begins at the end of the content.");
}
