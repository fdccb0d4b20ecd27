import { type ServerScript, startScriptedServer } from "@anyscheme/core/testing";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  createServerUrl,
  getWithGivenClient,
  readRequestHead,
  type HttpTestClient,
  createTestClient,
} from "../test-client.ts";

// The test replaces only the timers by fake timers. The sockets are real.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const OK_RESPONSE = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx";

/** Sends the same response to each request on a connection. */
const respondToEveryRequest: ServerScript = async (peer) => {
  while ((await readRequestHead(peer)).length > 0) peer.send(OK_RESPONSE);
};

/** Returns a server script that responds to all requests when `count` requests have arrived. */
function respondAfterRequests(count: number): ServerScript {
  let waiting: (() => void)[] = [];
  return async (peer) => {
    while ((await readRequestHead(peer)).length > 0) {
      waiting.push(() => peer.send(OK_RESPONSE));
      if (waiting.length < count) continue;
      for (const answer of waiting) answer();
      waiting = [];
    }
  };
}

const createClientWithoutConnectionLimit = (): HttpTestClient =>
  createTestClient({ limits: { maxConnectionsPerHost: Infinity } });

it("the pool reuses an idle http connection within 4 s, and closes it afterwards", async () => {
  await using server = await startScriptedServer(respondToEveryRequest);
  await using client = createTestClient();
  const text = async (): Promise<string> =>
    (await getWithGivenClient(client, createServerUrl(server))).text();
  await text();
  vi.advanceTimersByTime(3_999);
  await text();
  expect(server.connections).toHaveLength(1);
  vi.advanceTimersByTime(4_000);
  await server.connections[0]?.closed;
  await text();
  expect(server.connections).toHaveLength(2);
});

it("the pool stores 64 idle connections to one origin, and closes the 65th", async () => {
  await using server = await startScriptedServer(respondAfterRequests(65));
  await using client = createClientWithoutConnectionLimit();
  const all = (): Promise<string[]> =>
    Promise.all(
      Array.from({ length: 65 }, async () =>
        (await getWithGivenClient(client, createServerUrl(server))).text(),
      ),
    );
  await all();
  expect(server.connections).toHaveLength(65);
  await Promise.any(server.connections.map(({ closed }) => closed));
  await all();
  expect(server.connections).toHaveLength(66);
});

it("the pool stores 256 idle connections, and closes the oldest when another becomes idle", async () => {
  await using server = await startScriptedServer(respondToEveryRequest);
  await using client = createClientWithoutConnectionLimit();
  const as = async (user: number): Promise<string> => {
    const headers = { authorization: `Bearer ${user}` };
    return (await getWithGivenClient(client, createServerUrl(server), { headers })).text();
  };
  for (let user = 1; user <= 257; user++) await as(user);
  await server.connections[0]?.closed;
  await as(2);
  await as(257);
  expect(server.connections).toHaveLength(257);
  await as(1);
  expect(server.connections).toHaveLength(258);
});
