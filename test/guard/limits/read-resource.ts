import type { Client } from "@anyscheme/core";

/** Reads what a URL gives to its end, so that every limit on the way is met. */
export type Read = (client: Client, url: string) => Promise<unknown>;

/** A body as one piece; a list entry by entry. */
export const readAll: Read = async (client, url) => {
  const resource = await client.dereference(url);
  if (resource.kind === "content") await resource.bytes();
  if (resource.kind === "directory") for await (const _entry of resource);
};

/** A body piece by piece. */
export const streamAll: Read = async (client, url) => {
  const resource = await client.dereference(url);
  if (resource.kind === "content") for await (const _piece of resource);
};

/** What a service shows. */
export const listen: Read = async (client, url) => {
  const service = await client.dereference(url);
  if (service.kind !== "service") return;
  const session = await service.connect();
  for await (const _shown of session.readable);
};

/** Only as far as the access itself goes. */
export const dereference: Read = (client, url) => client.dereference(url);
