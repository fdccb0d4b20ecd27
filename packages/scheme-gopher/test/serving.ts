import { type Client, createClient, type DereferenceOptions, anyAddress } from "@anyscheme/core";
import { type LoopbackServer, sentBy, startScriptedServer } from "@anyscheme/core/testing";
import { expect } from "vitest";
import { gopher, type GopherRequestOptions, type GopherEntry, type GopherResource } from "../src/index.ts";

type Options = DereferenceOptions & GopherRequestOptions;

/** A client that may use the port. */
export function clientFor(port: number): Client<ReturnType<typeof gopher>> {
  return createClient({ schemes: [gopher()], policy: anyAddress({ allowPorts: { gopher: [port] } }) });
}

/** A server that gives this answer to one line, or lets a script end the connection. */
export function answering(
  answer: string | readonly string[],
  end: "close" | "reset" | "stay" = "close",
): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => {
    if ((await peer.line()) === undefined) return;
    for (const piece of [answer].flat()) {
      peer.send(piece);
      // Each piece on its way before the next one.
      await new Promise(setImmediate);
    }
    if (end === "reset") peer.reset();
    if (end === "stay") await peer.closed;
  });
}

/** A server that gives an answer without end, until the client has enough. */
export function pouring(beginning: string, piece: string): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => {
    await peer.line();
    peer.send(beginning);
    const client = { gone: false };
    void peer.closed.then(() => (client.gone = true));
    while (!client.gone) {
      peer.send(piece);
      await new Promise(setImmediate);
    }
  });
}

/** Dereferences a path on a server, and holds what the server received against the plan. */
export async function access(
  server: LoopbackServer,
  path: string,
  options: Options = {},
): Promise<GopherResource> {
  const resource = await clientFor(server.port).dereference(
    `gopher://127.0.0.1:${server.port}/${path}`,
    options,
  );
  expect(server.connections).toHaveLength(1);
  expect(server.connections[0]?.received).toEqual(sentBy(resource.plan));
  return resource;
}

/** The body as Latin-1, and what its end was worth. */
export async function body(resource: GopherResource): Promise<[text: string, completeness: string]> {
  if (resource.kind !== "content") throw new Error(`it is a ${resource.kind}`);
  return [Buffer.from(await resource.bytes()).toString("latin1"), await resource.completeness];
}

/** Entries up to the end or a fault, and the fault. */
export async function entries(resource: GopherResource): Promise<{ entries: GopherEntry[]; fault: unknown }> {
  if (resource.kind !== "directory") throw new Error(`it is ${resource.kind}`);
  const found: GopherEntry[] = [];
  try {
    for await (const entry of resource) found.push(entry);
    return { entries: found, fault: undefined };
  } catch (fault) {
    return { entries: found, fault };
  }
}

/** The same, and what its end was worth. */
export async function wholeMenu(
  resource: GopherResource,
): Promise<[menu: Awaited<ReturnType<typeof entries>>, completeness: string]> {
  const menu = await entries(resource);
  return [menu, resource.kind === "directory" ? await resource.completeness : resource.kind];
}

/** What a failure has to have. */
export function failure(code: string, message?: RegExp): Error {
  const fields = message ? { code, message: expect.stringMatching(message) as string } : { code };
  return expect.objectContaining(fields) as Error;
}
