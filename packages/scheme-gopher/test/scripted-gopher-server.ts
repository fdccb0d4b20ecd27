import { type Client, createClient, type DereferenceOptions, anyAddress } from "@anyscheme/core";
import { type LoopbackServer, getPlannedBytes, startScriptedServer } from "@anyscheme/core/testing";
import { expect } from "vitest";
import { gopher, type GopherRequestOptions, type GopherEntry, type GopherResource } from "../src/index.ts";

type GopherDereferenceOptions = DereferenceOptions & GopherRequestOptions;

/** Creates a client whose policy allows Gopher requests to the given port. */
export function createGopherClient(port: number): Client<ReturnType<typeof gopher>> {
  return createClient({ schemes: [gopher()], policy: anyAddress({ allowPorts: { gopher: [port] } }) });
}

/**
 * Starts a server that sends the given response after one request line. After the response, the server closes the
 * connection, resets the connection, or keeps the connection open.
 */
export function startGopherServer(
  response: string | readonly string[],
  end: "close" | "reset" | "stay" = "close",
): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => {
    if ((await peer.readLine()) === undefined) return;
    for (const chunk of [response].flat()) {
      peer.send(chunk);
      // The delay makes the server send each chunk separately.
      await new Promise(setImmediate);
    }
    if (end === "reset") peer.reset();
    if (end === "stay") await peer.closed;
  });
}

/** Starts a server that sends an endless response until the client closes the connection. */
export function startEndlessGopherServer(beginning: string, chunk: string): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => {
    await peer.readLine();
    peer.send(beginning);
    const client = { gone: false };
    void peer.closed.then(() => (client.gone = true));
    while (!client.gone) {
      peer.send(chunk);
      await new Promise(setImmediate);
    }
  });
}

/** Dereferences a path on a server, and compares the received bytes with the plan. */
export async function dereferenceAndCheckRequest(
  server: LoopbackServer,
  path: string,
  options: GopherDereferenceOptions = {},
): Promise<GopherResource> {
  const resource = await createGopherClient(server.port).dereference(
    `gopher://127.0.0.1:${server.port}/${path}`,
    options,
  );
  expect(server.connections).toHaveLength(1);
  expect(server.connections[0]?.received).toEqual(getPlannedBytes(resource.plan));
  return resource;
}

/** Reads the body of a resource as Latin-1, and its completeness. */
export async function readBodyTextAndCompleteness(
  resource: GopherResource,
): Promise<[text: string, completeness: string]> {
  if (resource.kind !== "content") throw new Error(`it is a ${resource.kind}`);
  return [Buffer.from(await resource.bytes()).toString("latin1"), await resource.completeness];
}

/** Reads the entries of a menu until its end or an error. Returns the entries and the error. */
export async function readMenuEntriesUntilFailure(
  resource: GopherResource,
): Promise<{ entries: GopherEntry[]; fault: unknown }> {
  if (resource.kind !== "directory") throw new Error(`it is ${resource.kind}`);
  const found: GopherEntry[] = [];
  try {
    for await (const entry of resource) found.push(entry);
    return { entries: found, fault: undefined };
  } catch (fault) {
    return { entries: found, fault };
  }
}

/** Reads the entries and the completeness of a menu. */
export async function readMenuWithCompleteness(
  resource: GopherResource,
): Promise<[menu: Awaited<ReturnType<typeof readMenuEntriesUntilFailure>>, completeness: string]> {
  const menu = await readMenuEntriesUntilFailure(resource);
  return [menu, resource.kind === "directory" ? await resource.completeness : resource.kind];
}

/** Returns a matcher for an error with the given code and message. */
export function matchErrorWithCode(code: string, message?: RegExp): Error {
  const fields = message ? { code, message: expect.stringMatching(message) as string } : { code };
  return expect.objectContaining(fields) as Error;
}
