import type { Client } from "@anyscheme/core";

/** Reads a resource to its end, so that every limit is checked. */
export type ReadResource = (client: Client, url: string) => Promise<unknown>;

/** Reads a body into one buffer, or a listing entry by entry. */
export const readWhole: ReadResource = async (client, url) => {
  const resource = await client.dereference(url);
  if (resource.kind === "content") await resource.bytes();
  if (resource.kind === "directory") for await (const _entry of resource);
};

/** Reads a body in chunks. */
export const readInChunks: ReadResource = async (client, url) => {
  const resource = await client.dereference(url);
  if (resource.kind === "content") for await (const _chunk of resource);
};

/** Reads the output of a service. */
export const readService: ReadResource = async (client, url) => {
  const service = await client.dereference(url);
  if (service.kind !== "service") return;
  const session = await service.connect();
  for await (const _text of session.readable);
};

/** Dereferences without reading. */
export const dereference: ReadResource = (client, url) => client.dereference(url);
