import {
  type AccessError,
  type Client,
  createClient,
  type Resource,
  type Scheme,
  anyAddress,
} from "@anyscheme/core";
import type { PolicyOptions } from "@anyscheme/core/plugin";
import { prospero, type ProsperoEntry, type ProsperoOptions } from "@anyscheme/scheme-others/prospero";

export interface ProsperoTestClientOptions {
  readonly options?: ProsperoOptions;
  readonly schemes?: readonly Scheme[];
  readonly allowedPorts?: PolicyOptions["allowPorts"];
}

/** Creates a client that may connect to Prospero servers on the given ports. */
export function createClientForServers(
  servers: readonly { readonly port: number }[],
  { options, schemes = [], allowedPorts: ports = {} }: ProsperoTestClientOptions = {},
): Client {
  const allowPorts = { ...ports, prospero: servers.map(({ port }) => port) };
  return createClient<Scheme>({
    schemes: [prospero(options), ...schemes],
    policy: anyAddress({ allowPorts }),
  });
}

export async function readContentBytes(resource: Resource): Promise<Buffer> {
  if (resource.kind !== "content") throw new Error(`no content but ${resource.kind}`);
  return Buffer.from(await resource.bytes());
}

export async function listProsperoEntries(resource: Resource): Promise<ProsperoEntry[]> {
  if (resource.kind !== "directory") throw new Error(`no directory but ${resource.kind}`);
  const found: ProsperoEntry[] = [];
  for await (const entry of resource) found.push(entry as ProsperoEntry);
  return found;
}

/** Reads the entries of a directory up to an error. Returns the names of the entries and the error. */
export async function readEntriesUntilFailure(
  resource: Resource,
): Promise<{ names: string[]; failure: AccessError | undefined }> {
  if (resource.kind !== "directory") throw new Error(`no directory but ${resource.kind}`);
  const names: string[] = [];
  try {
    for await (const { name } of resource) names.push(name);
    return { names, failure: undefined };
  } catch (error) {
    return { names, failure: error as AccessError };
  }
}

/** Returns the URLs in the redirect chain of a resource. */
export const getRedirectChainUrls = ({ redirectChain: hops }: Resource): string[] =>
  hops.map(({ fromUrl }) => String(fromUrl));
