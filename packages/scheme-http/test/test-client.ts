import {
  type AccessError,
  type Client,
  type ClientOptions,
  createClient,
  type DereferenceOptions,
  anyAddress,
} from "@anyscheme/core";
import type { LoopbackServer, ScriptedPeer } from "@anyscheme/core/testing";
import { http, type HttpRequestOptions, type HttpContentResource, https } from "@anyscheme/scheme-http";

export type HttpTestClient = Client<ReturnType<typeof http> | ReturnType<typeof https>>;
export type HttpGetOptions = DereferenceOptions & HttpRequestOptions;

/** Creates a client that may connect to loopback. */
export const createTestClient = (options: Partial<ClientOptions> = {}): HttpTestClient =>
  createClient({ policy: anyAddress(), ...options, schemes: [http(), https()] });

/** The HTTP client that the tests of a file share, unless a test creates its own client. */
export const testClient: HttpTestClient = createTestClient();

export const createServerUrl = (
  { port, address }: Pick<LoopbackServer, "port" | "address">,
  path = "/",
): `http://${string}` => `http://${address.includes(":") ? `[${address}]` : address}:${port}${path}`;

export function getWithGivenClient(
  from: HttpTestClient,
  url: string,
  options: HttpGetOptions = {},
): Promise<HttpContentResource> {
  return from.dereference(url as `http://${string}`, options);
}

export const getWithSharedTestClient = (
  url: string,
  options?: HttpGetOptions,
): Promise<HttpContentResource> => getWithGivenClient(testClient, url, options);

/** Returns the error with which a promise rejects. */
export async function getRejectedError(promise: Promise<unknown>): Promise<AccessError> {
  const outcome = await promise.then(
    () => new Error("nothing failed"),
    (error: unknown) => error,
  );
  return outcome as AccessError;
}

/** Reads the head of a request up to the blank line. */
export async function readRequestHead(peer: ScriptedPeer): Promise<string[]> {
  const lines: string[] = [];
  for (let line = await peer.readLine(); line; line = await peer.readLine()) lines.push(line);
  return lines;
}

/** Returns a server script that sends a response to one request. */
export function createSingleResponseScript(reply: string): (peer: ScriptedPeer) => Promise<void> {
  return async (peer) => {
    await readRequestHead(peer);
    peer.send(reply);
  };
}

/** An upper bound of the size of a socket's receive buffer, in bytes. */
export const MAX_SOCKET_RECEIVE_BUFFER_BYTES = 262_144;
