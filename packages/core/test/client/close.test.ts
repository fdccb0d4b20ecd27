import { afterEach, describe, expect, it } from "vitest";
import { type Client, createClient, anyAddress } from "../../src/index.ts";
import { type LoopbackServer, startScriptedServer } from "../../src/testing/index.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { createRedirectingScheme, createPathLineScheme, createSocketlessScheme } from "./test-schemes.ts";

const serverStops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of serverStops.splice(0)) await stop();
});

/** Starts a server that echoes one line and closes the connection. The server answers a line `to/…` with a redirect. */
async function startEchoServer(): Promise<LoopbackServer> {
  const server = await startScriptedServer(async (peer) => {
    const path = (await peer.readLine()) ?? "";
    peer.send(path.startsWith("to/") ? `GO x-line://127.0.0.1:${server.port}/end\r\n` : `${path}\r\n`);
    peer.end();
  });
  serverStops.push(() => server.stop());
  return server;
}

function createTestClient(): Client {
  const policy = anyAddress({ allowSchemeRedirects: { "x-hop": ["x-line"] } });
  return createClient({
    schemes: [createPathLineScheme("x-line"), createRedirectingScheme("x-hop")],
    policy,
  }) as Client;
}

/** True when a promise has settled after one turn of the event loop. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.finally(() => (settled = true));
  await new Promise(setImmediate);
  return settled;
}

describe("client.close()", () => {
  it("close() resolves immediately when no request is running, also when called twice", async () => {
    const client = createTestClient();
    await client.close();
    await client.close();
  });

  it.each([
    [
      "has been read",
      async (resource: AsyncDisposable & { text(): Promise<string> }) => void (await resource.text()),
    ],
    ["has been closed", (resource: AsyncDisposable) => resource[Symbol.asyncDispose]()],
  ] as const)("close() waits until a body %s", async (_, finish) => {
    const server = await startEchoServer();
    const client = createTestClient();
    const resource = await client.dereference(`x-line://127.0.0.1:${server.port}/a`);
    const closed = client.close();
    expect(await hasSettled(closed)).toBe(false);
    await finish(resource as never);
    await closed;
  });

  it("close() waits for a request that has no response yet, its redirects included", async () => {
    const server = await startEchoServer();
    const client = createTestClient();
    const request = client.dereference(`x-hop://127.0.0.1:${server.port}/to/end`);
    const closed = client.close();
    const resource = await request;
    expect(String(resource.url)).toBe(`x-line://127.0.0.1:${server.port}/end`);
    expect(await hasSettled(closed)).toBe(false);
    if (resource.kind === "content") expect(await resource.text()).toBe("end\r\n");
    await closed;
  });

  it("close() waits for a running request that later fails", async () => {
    const held = Promise.withResolvers<never>();
    const client = createClient({ schemes: [createSocketlessScheme(() => held.promise)] });
    const failure = catchAccessError(client.dereference("x-made:a"));
    const closed = client.close();
    expect(await hasSettled(closed)).toBe(false);
    held.reject(new Error("no"));
    expect((await failure).code).toBe("plugin");
    await closed;
  });

  it.each<[method: string, call: (client: Client) => Promise<unknown>]>([
    ["dereference", (client) => client.dereference("x-line://127.0.0.1/a")],
    ["stat", (client) => client.stat("x-line://127.0.0.1/a")],
    ["put", (client) => client.put("x-line://127.0.0.1/a", "text")],
  ])("client.%s is rejected after close()", async (_, call) => {
    const client = createTestClient();
    await client.close();
    expect(await catchAccessError(call(client))).toMatchObject({
      code: "aborted",
      reason: "the client is closed",
      url: "x-line://127.0.0.1/a",
    });
  });

  it("client.fetch is rejected with a TypeError after close()", async () => {
    const client = createTestClient();
    await client.close();
    const failure = await client.fetch("x-line://127.0.0.1/a").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TypeError);
    expect((failure as Error).cause).toMatchObject({ code: "aborted" });
  });

  it("close() resolves when destroy() aborts the last request", async () => {
    const server = await startEchoServer();
    const client = createTestClient();
    const resource = await client.dereference(`x-line://127.0.0.1:${server.port}/a`);
    const closed = client.close();
    expect(await hasSettled(closed)).toBe(false);
    await client.destroy();
    await closed;
    if (resource.kind === "content") expect((await catchAccessError(resource.text())).code).toBe("aborted");
  });
});

it("the end of an `await using` block destroys the client", async () => {
  const server = await startEchoServer();
  let resource;
  {
    await using client = createTestClient();
    resource = await client.dereference(`x-line://127.0.0.1:${server.port}/a`);
  }
  if (resource.kind === "content")
    expect(await catchAccessError(resource.text())).toMatchObject({ reason: "the client was destroyed" });
});
