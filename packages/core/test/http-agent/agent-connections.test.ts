import { once } from "node:events";
import * as http from "node:http";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { guardedHttpAgent } from "../../src/http-agent/http-agent.ts";
import { AccessError } from "../../src/errors/access-error.ts";
import { anyAddress, publicInternet } from "../../src/policy/policy.ts";
import { startScriptedServer } from "../../src/testing/index.ts";
import { catchAccessError } from "../catch-access-error.ts";
import { readRequestHeaderLines } from "../network/proxy/scripted-proxy.ts";

const policy = anyAddress();
const resolver = (): Promise<string[]> => Promise.resolve(["127.0.0.1"]);
const RESPONSE = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

const startRequest = (agent: http.Agent, port: number, options: http.RequestOptions = {}) =>
  http.get({ host: "name.example", port, agent, ...options });

async function readResponse(request: http.ClientRequest): Promise<string> {
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  let text = "";
  for await (const bytes of response) text += String(bytes);
  return text;
}

/** Calls `createConnection` directly, as a library that does not use `http.request` does. */
function createConnection(agent: http.Agent, options: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onConnection = (error: Error | null, socket?: unknown): void =>
      error ? reject(error) : resolve(socket);
    agent.createConnection(options, onConnection);
  });
}

describe("the sockets of guardedHttpAgent", () => {
  it.each([
    [{}, {}, 5_000],
    [{ timeout: 50_000 }, {}, 50_000],
    [{ timeout: 50_000 }, { timeout: 70_000 }, 70_000],
    [{ timeout: Infinity }, {}, 0],
  ])("the socket has the idle timeout of the agent %j or of the request %j", async (options, own, ms) => {
    await using server = await startScriptedServer((peer) => peer.closed);
    const agent = guardedHttpAgent({ policy, resolver, ...options });
    const request = startRequest(agent, server.port, own);
    const [socket] = (await once(request, "socket")) as [Socket];
    expect(socket.timeout ?? 0).toBe(ms);
    const closed = once(request, "error");
    agent.destroy();
    await closed;
  });

  it("the agent lists the open connections and no others", async () => {
    await using server = await startScriptedServer((peer) => peer.closed);
    const agent = guardedHttpAgent({ policy, resolver });
    const requests = [startRequest(agent, server.port), startRequest(agent, server.port)];
    const sockets = await Promise.all(
      requests.map(async (request) => ((await once(request, "socket")) as [Socket])[0]),
    );
    expect(new Set(Object.values(agent.sockets).flat())).toEqual(new Set(sockets));
    const closed = requests.map((request) => once(request, "error"));
    agent.destroy();
    await Promise.all(closed);
    expect(agent.sockets).toEqual({});
  });

  it("a connection without options has the default host of http, which is localhost", async () => {
    const agent = guardedHttpAgent({ policy: publicInternet(), resolver });
    await expect(createConnection(agent, {})).rejects.toMatchObject({
      code: "refused-name",
      reason: expect.stringContaining("localhost") as string,
    });
    await expect(createConnection(agent, { host: "127.0.0.1" })).rejects.toMatchObject({
      code: "refused-address",
    });
  });
});

describe("requests that wait for a connection", () => {
  it("after a connection has failed, the open connections serve the waiting requests", async () => {
    const { promise: secondHasFailed, resolve: respond } = Promise.withResolvers<void>();
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHeaderLines(peer);
      await secondHasFailed;
      peer.send(RESPONSE);
      await readRequestHeaderLines(peer);
      peer.send(RESPONSE);
      await peer.closed;
    });
    const answers = [["127.0.0.1"], []];
    const agent = guardedHttpAgent({
      policy,
      resolver: () => Promise.resolve(answers.shift() ?? []),
      limits: { maxConnectionsPerHost: 2 },
    });
    const first = startRequest(agent, server.port);
    const firstResponse = readResponse(first);
    await once(first, "socket");
    const second = catchAccessError(readResponse(startRequest(agent, server.port)));
    const third = readResponse(startRequest(agent, server.port));
    expect((await second).code).toBe("unavailable");
    respond();
    expect(await Promise.all([firstResponse, third])).toEqual(["hello", "hello"]);
    expect(server.connections).toHaveLength(1);
    agent.destroy();
  });
});

describe("guardedHttpAgent with a proxy", () => {
  it("the agent reads the response that a proxy passes on", async () => {
    await using proxy = await startScriptedServer(async (peer) => {
      await readRequestHeaderLines(peer);
      peer.send("HTTP/1.1 200 OK\r\n\r\n");
      await readRequestHeaderLines(peer);
      peer.send(RESPONSE);
      await peer.closed;
    });
    const agent = guardedHttpAgent({ policy, resolver, proxy: `http://127.0.0.1:${proxy.port}` });
    const request = startRequest(agent, 80);
    const text = readResponse(request);
    const [socket] = (await once(request, "socket")) as [Socket];
    expect(await text).toBe("hello");
    expect(socket.listenerCount("newListener")).toBe(0);
    agent.destroy();
  });

  it("a request fails with the code proxy when the proxy cannot be reached", async () => {
    const proxy = await startScriptedServer((peer) => peer.closed);
    await proxy.stop();
    const agent = guardedHttpAgent({ policy, resolver, proxy: `http://127.0.0.1:${proxy.port}` });
    const error = await catchAccessError(readResponse(startRequest(agent, 80)));
    expect(error).toMatchObject({ code: "proxy", cause: { code: "ECONNREFUSED" } });
  });
});

describe("the errors of a failed connection", () => {
  it.each<[string, () => Promise<string[]>, string]>([
    ["without an address", () => Promise.resolve([]), "has no address"],
    [
      "whose resolver fails without an error code",
      () => Promise.reject(new Error("no")),
      "cannot be resolved",
    ],
  ])("the request fails with an AccessError for a host name %s", async (_, failing, reason) => {
    const agent = guardedHttpAgent({ policy, resolver: failing });
    const error = await catchAccessError(readResponse(startRequest(agent, 80)));
    expect(error).toBeInstanceOf(AccessError);
    expect(error).toMatchObject({ code: "unavailable" });
    expect(error.reason).toContain(reason);
  });

  it("the guard closes the connection when a trace listener throws", async () => {
    await using server = await startScriptedServer((peer) => peer.closed);
    const agent = guardedHttpAgent({
      policy,
      trace(event) {
        if (event.action === "connect") throw new Error("broken");
      },
    });
    const request = startRequest(agent, server.port, { host: "127.0.0.1" });
    expect((await catchAccessError(readResponse(request))).code).toBe("plugin");
    await Promise.all(server.connections.map(({ closed }) => closed));
  });
});
