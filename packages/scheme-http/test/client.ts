import {
  type AccessError,
  type Client,
  createClient,
  type DereferenceOptions,
  trusted,
} from "@anyscheme/core";
import type { LoopbackServer, Peer } from "@anyscheme/core/testing";
import { http, type HttpCallOptions, type HttpResource, https } from "@anyscheme/scheme-http";

type HttpClient = Client<ReturnType<typeof http> | ReturnType<typeof https>>;

/** A client that may reach loopback. */
export const client: HttpClient = createClient({ schemes: [http(), https()], policy: trusted() });

export const at = (
  { port, address }: Pick<LoopbackServer, "port" | "address">,
  path = "/",
): `http://${string}` => `http://${address.includes(":") ? `[${address}]` : address}:${port}${path}`;

export function get(
  url: string,
  options: DereferenceOptions & HttpCallOptions = {},
  from = client,
): Promise<HttpResource> {
  return from.dereference(url as `http://${string}`, options);
}

/** The error that a work fails with. */
export async function failureOf(work: Promise<unknown>): Promise<AccessError> {
  const outcome = await work.then(
    () => new Error("nothing failed"),
    (error: unknown) => error,
  );
  return outcome as AccessError;
}

/** Reads the head of a request, up to its blank line. */
export async function head(peer: Peer): Promise<string[]> {
  const lines: string[] = [];
  for (let line = await peer.line(); line; line = await peer.line()) lines.push(line);
  return lines;
}

/** A script that answers every request with this. */
export function answering(reply: string): (peer: Peer) => Promise<void> {
  return async (peer) => {
    await head(peer);
    peer.send(reply);
  };
}
