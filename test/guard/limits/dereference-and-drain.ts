import type { Client, DereferenceOptions } from "@anyscheme/core";
import type { NntpRequestOptions } from "@anyscheme/scheme-others/nntp";

/** A function that dereferences a URL, and may read its resource to the end, so that the tested limit applies. */
export type UrlDereferencer = (client: Client, url: string) => Promise<unknown>;

/** Dereferences a URL, and reads its body into one buffer or its listing entry by entry. */
export const dereferenceAndDrain: UrlDereferencer = async (client, url) => {
  const resource = await client.dereference(url);
  if (resource.kind === "content") await resource.bytes();
  if (resource.kind === "directory") for await (const _entry of resource);
};

/** Dereferences the URL of a newsgroup, and reads its articles from the newest to the oldest. */
export const dereferenceNewsgroupNewestFirstAndDrain: UrlDereferencer = async (client, url) => {
  const options: DereferenceOptions & NntpRequestOptions = { order: "newest-first" };
  const resource = await client.dereference(url, options);
  if (resource.kind === "directory") for await (const _entry of resource);
};

/** Fetches a URL with `client.fetch`, and reads the body of the response. */
export const fetchAndDrainText: UrlDereferencer = async (client, url) => {
  const response = await client.fetch(url);
  await response.text().catch((error: unknown) => {
    throw error instanceof TypeError ? error.cause : error;
  });
};

/** Dereferences a URL, and reads its body in chunks. */
export const dereferenceAndDrainInChunks: UrlDereferencer = async (client, url) => {
  const resource = await client.dereference(url);
  if (resource.kind === "content") for await (const _chunk of resource);
};

/** Dereferences the URL of a service, connects, and reads the service's output. */
export const connectToServiceAndDrainOutput: UrlDereferencer = async (client, url) => {
  const service = await client.dereference(url);
  if (service.kind !== "service") return;
  const session = await service.connect();
  for await (const _text of session.readable);
};

/** Dereferences a URL without reading its resource. */
export const dereferenceWithoutReading: UrlDereferencer = (client, url) => client.dereference(url);
