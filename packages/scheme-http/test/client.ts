import {
  type AccessError,
  type Client,
  type ClientOptions,
  createClient,
  type DereferenceOptions,
  anyAddress,
} from "@anyscheme/core";
import type { LoopbackServer, Peer } from "@anyscheme/core/testing";
import { http, type HttpRequestOptions, type HttpResource, https } from "@anyscheme/scheme-http";

export type HttpClient = Client<ReturnType<typeof http> | ReturnType<typeof https>>;
export type GetOptions = DereferenceOptions & HttpRequestOptions;

/** A client that may reach loopback. */
export const newClient = (options: Partial<ClientOptions> = {}): HttpClient =>
  createClient({ policy: anyAddress(), ...options, schemes: [http(), https()] });

/** One for the tests that do not care which connections are used. */
export const client: HttpClient = newClient();

export const at = (
  { port, address }: Pick<LoopbackServer, "port" | "address">,
  path = "/",
): `http://${string}` => `http://${address.includes(":") ? `[${address}]` : address}:${port}${path}`;

export function getFrom(from: HttpClient, url: string, options: GetOptions = {}): Promise<HttpResource> {
  return from.dereference(url as `http://${string}`, options);
}

export const get = (url: string, options?: GetOptions): Promise<HttpResource> =>
  getFrom(client, url, options);

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

/** The largest buffer that a socket is read into. */
export const BUFFER_BYTES = 262_144;
