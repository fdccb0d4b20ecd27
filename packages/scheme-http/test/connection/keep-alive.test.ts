import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createClient, publicInternet, anyAddress } from "@anyscheme/core";
import { type ScriptedPeer, type ServerScript, startScriptedServer } from "@anyscheme/core/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { http } from "../../src/scheme.ts";
import {
  createServerUrl,
  getRejectedError,
  getWithGivenClient,
  readRequestHead,
  type HttpGetOptions,
  type HttpTestClient,
  createTestClient,
} from "../test-client.ts";

afterEach(() => void vi.useRealTimers());

const formatOkResponse = (content: string, fields = ""): string =>
  `HTTP/1.1 200 OK\r\n${fields}Content-Length: ${content.length}\r\n\r\n${content}`;

/** Responds to each request with the request target as body. */
const respondToEveryRequest: ServerScript = async (peer) => {
  for (let [line] = await readRequestHead(peer); line; [line] = await readRequestHead(peer))
    peer.send(formatOkResponse(line.split(" ")[1] ?? ""));
};

describe("the client reuses http connections", () => {
  it.each([
    [0, 3],
    [60_000, 1],
    [Infinity, 1],
    [undefined, 1],
  ])("with keepAliveTimeoutMs: %j, three requests in sequence use %i connections", async (timeout, count) => {
    await using server = await startScriptedServer(respondToEveryRequest);
    await using client = createClient({
      policy: anyAddress(),
      schemes: [http({ keepAliveTimeoutMs: timeout })],
    });
    for (let request = 0; request < 3; request++)
      await (await client.dereference(createServerUrl(server))).bytes();
    expect(server.connections).toHaveLength(count);
  });

  it("an http connection serves requests in sequence, and concurrent requests use several connections", async () => {
    await using server = await startScriptedServer(respondToEveryRequest);
    await using client = createTestClient();
    const text = async (path: string): Promise<string> =>
      (await getWithGivenClient(client, createServerUrl(server, path))).text();
    for (const path of ["/a", "/b", "/c"]) expect(await text(path)).toBe(path);
    expect(server.connections).toHaveLength(1);
    expect(await Promise.all(["/d", "/e", "/f"].map(text))).toEqual(["/d", "/e", "/f"]);
    expect(await Promise.all(["/g", "/h", "/i"].map(text))).toEqual(["/g", "/h", "/i"]);
    expect(server.connections).toHaveLength(3);
  });

  it.each<[string, string | ((peer: ScriptedPeer) => void)]>([
    ["the response has Connection: close", formatOkResponse("x", "Connection: close\r\n")],
    [
      "the Connection header contains Close among other options",
      formatOkResponse("x", "Connection: x, Close\r\n"),
    ],
    [
      "the server marks the end of the body by closing the connection",
      (peer) => (peer.send("HTTP/1.1 200 OK\r\n\r\nx"), peer.end()),
    ],
    [
      "the response has the version HTTP/1.0",
      "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx",
    ],
    ["the server sends bytes after the body", `${formatOkResponse("x")}HTTP/1.1 200 OK\r\n`],
  ])("an http connection is not reused when %s", async (_, answer) => {
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      if (typeof answer === "string") peer.send(answer);
      else answer(peer);
      await peer.closed;
    });
    await using client = createTestClient();
    for (let count = 1; count <= 2; count++) {
      expect(await (await getWithGivenClient(client, createServerUrl(server))).text()).toBe("x");
      await server.connections[count - 1]?.closed;
    }
    expect(server.connections).toHaveLength(2);
  });

  it("an idle http connection is not reused after unsolicited bytes", async () => {
    let more = (): void => undefined;
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send(formatOkResponse("x"));
      more = () => peer.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfake");
      await peer.closed;
    });
    await using client = createTestClient();
    expect(await (await getWithGivenClient(client, createServerUrl(server))).text()).toBe("x");
    more();
    // The client receives the unsolicited bytes before it receives the response of another server.
    await using other = await startScriptedServer(respondToEveryRequest);
    for (let turn = 0; turn < 3; turn++)
      await (await getWithGivenClient(client, createServerUrl(other))).text();
    const again = getWithGivenClient(client, createServerUrl(server));
    expect(await (await again).text()).toBe("x");
    expect(server.connections).toHaveLength(2);
  });

  it("an http connection is not reused when the caller closes the resource before its body ends", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      await readRequestHead(peer);
      peer.send(
        connection === 0 ? "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf" : formatOkResponse("whole"),
      );
      await peer.closed;
    });
    await using client = createTestClient();
    await (await getWithGivenClient(client, createServerUrl(server))).close();
    await server.connections[0]?.closed;
    expect(await (await getWithGivenClient(client, createServerUrl(server))).text()).toBe("whole");
  });

  it("an http connection is not reused for other credentials or under another policy", async () => {
    await using server = await startScriptedServer(respondToEveryRequest);
    await using client = createTestClient();
    const [one, other] = [anyAddress(), anyAddress()];
    const options = [
      { policy: one },
      { policy: one, headers: { authorization: "Bearer one" } },
      { policy: one, headers: { authorization: "Bearer two" } },
      { policy: one, headers: { cookie: "Bearer two" } },
      { policy: other },
    ];
    for (const each of options)
      await (await getWithGivenClient(client, createServerUrl(server), each)).bytes();
    expect(server.connections).toHaveLength(options.length);
    for (const each of options)
      await (await getWithGivenClient(client, createServerUrl(server), each)).bytes();
    expect(server.connections).toHaveLength(options.length);
    const refused = getWithGivenClient(client, createServerUrl(server), { policy: publicInternet() });
    expect(await getRejectedError(refused)).toMatchObject({ code: "refused-address" });
  });

  it("a request does not take an idle http connection before an earlier request that waits for a connection", async () => {
    const slowResponse = Promise.withResolvers<void>();
    const slowRequest = Promise.withResolvers<void>();
    const paths: string[] = [];
    await using server = await startScriptedServer(async (peer) => {
      for (let [line] = await readRequestHead(peer); line; [line] = await readRequestHead(peer)) {
        const path = line.split(" ")[1] ?? "";
        paths.push(path);
        if (path === "/slow") {
          slowRequest.resolve();
          await slowResponse.promise;
        }
        peer.send(formatOkResponse(path));
      }
    });
    await using otherServer = await startScriptedServer(respondToEveryRequest);
    await using client = createTestClient();
    const text = async (path: string, options?: HttpGetOptions): Promise<string> =>
      (await getWithGivenClient(client, createServerUrl(server, path), options)).text();
    // The two connections of these requests are idle afterwards.
    await Promise.all([text("/a"), text("/b")]);
    const slow = text("/slow", { headers: { authorization: "Bearer slow" } });
    await slowRequest.promise;
    const limits = { maxConnectionsPerHost: 1 };
    const first = text("/first", { limits, headers: { authorization: "Bearer first" } });
    const second = text("/second", { limits });
    await (await getWithGivenClient(client, createServerUrl(otherServer))).text();
    expect(paths.slice(2)).toEqual(["/slow"]);
    slowResponse.resolve();
    expect(await Promise.all([slow, first, second])).toEqual(["/slow", "/first", "/second"]);
    expect(paths.slice(2)).toEqual(["/slow", "/first", "/second"]);
  });

  it("a reused http connection applies the limits of the current request", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send(formatOkResponse("x"));
      await peer.closed;
    });
    await using client = createTestClient();
    await (
      await getWithGivenClient(client, createServerUrl(server), { limits: { firstByteTimeoutMs: 60_000 } })
    ).bytes();
    const impatient = getWithGivenClient(client, createServerUrl(server), {
      limits: { firstByteTimeoutMs: 20 },
    });
    expect(await getRejectedError(impatient)).toMatchObject({ code: "timeout", limit: "firstByteTimeoutMs" });
    expect(server.connections).toHaveLength(1);
  });
});

describe("the server closes a reused http connection when a request arrives", () => {
  /**
   * Sends a response only to the first request of each connection. Closes the first connection when its second request
   * arrives.
   */
  const closeOnSecondRequest: ServerScript = async (peer, connection) => {
    await readRequestHead(peer);
    peer.send(formatOkResponse("x", "Connection: keep-alive\r\n"));
    if (connection > 0) await peer.closed;
    else await readRequestHead(peer);
  };

  it("the client repeats a GET on a new connection", async () => {
    await using server = await startScriptedServer(closeOnSecondRequest);
    await using client = createTestClient();
    for (let count = 0; count < 2; count++)
      expect(await (await getWithGivenClient(client, createServerUrl(server))).text()).toBe("x");
    expect(server.connections).toHaveLength(2);
    expect(server.connections[0]?.received.toString().match(/GET/g)).toHaveLength(2);
  });

  it.each<[method: string, change: (client: HttpTestClient, url: `http://${string}`) => Promise<unknown>]>([
    ["POST", (client, url) => client.text(url, { method: "POST", body: "x" })],
    ["DELETE", (client, url) => client.delete(url)],
    ["PUT", (client, url) => client.put(url, "hello")],
    ["PUT", (client, url) => client.put(url, "")],
  ])("the client sends a %s at most once", async (method, change) => {
    await using server = await startScriptedServer(closeOnSecondRequest);
    await using client = createTestClient();
    expect(await (await getWithGivenClient(client, createServerUrl(server))).text()).toBe("x");
    expect(await getRejectedError(change(client, createServerUrl(server)))).toMatchObject({
      code: "incomplete",
    });
    const received = server.connections.map((connection) => connection.received.toString());
    expect(received.join("").match(new RegExp(`^${method} `, "gm"))).toHaveLength(1);
  });

  it("the client sends a DELETE at most once when the server closes every connection", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      await readRequestHead(peer);
      if (connection > 0) return;
      peer.send(formatOkResponse("x"));
      await readRequestHead(peer);
    });
    await using client = createTestClient();
    await (await getWithGivenClient(client, createServerUrl(server))).text();
    expect(await getRejectedError(client.delete(createServerUrl(server)))).toMatchObject({
      code: "incomplete",
    });
    const received = server.connections.map((connection) => connection.received.toString());
    expect(received.join("").match(/^DELETE /gm)).toHaveLength(1);
  });

  it.each<[method: string, idleMs: number, keepAlive: string, connections: number]>([
    ["POST", 0, "Connection: keep-alive\r\n", 1],
    ["POST", 999, "Connection: x, Keep-Alive\r\n", 1],
    ["POST", 1_000, "Connection: keep-alive\r\n", 2],
    ["PUT", 999, "Connection: keep-alive\r\n", 1],
    ["PUT", 1_000, "Connection: keep-alive\r\n", 2],
    ["DELETE", 1_000, "Connection: keep-alive\r\n", 2],
    ["POST", 19, "", 2],
    ["POST", 20, "", 1],
    ["POST", 999, "", 1],
    ["POST", 1_000, "", 2],
    ["GET", 1_000, "", 1],
    ["POST", 499, "Keep-Alive: max=5, timeout=1\r\n", 1],
    ["POST", 500, "Keep-Alive: max=5, timeout=1\r\n", 2],
    ["POST", 0, "Keep-Alive: timeout=0\r\n", 2],
    ["POST", 999, "Keep-Alive: max=5\r\n", 1],
    ["POST", 1_000, "Keep-Alive: timeout=60\r\n", 2],
  ])(
    "a GET and a %s after %i ms, with the response header %j, use %i connections",
    async (method, idleMs, field, count) => {
      await using server = await startScriptedServer(async (peer) => {
        while ((await readRequestHead(peer)).length > 0) peer.send(formatOkResponse("", field));
      });
      await using client = createTestClient();
      const url = createServerUrl(server);
      vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
      await client.text(url);
      vi.advanceTimersByTime(idleMs);
      await (method === "PUT" ? client.put(url, "") : client.text(url, { method }));
      expect(server.connections).toHaveLength(count);
    },
  );

  it("the client does not repeat a GET after the first byte of the response", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send(formatOkResponse("x"));
      await readRequestHead(peer);
      peer.send("HTTP/1.1 200");
    });
    await using client = createTestClient();
    await (await getWithGivenClient(client, createServerUrl(server))).text();
    expect(await getRejectedError(getWithGivenClient(client, createServerUrl(server)))).toMatchObject({
      code: "incomplete",
    });
    expect(server.connections).toHaveLength(1);
  });
});

it("an idle http connection does not prevent the process from exiting", async () => {
  await using server = await startScriptedServer(respondToEveryRequest);
  const program = `
    import { createClient, anyAddress } from "@anyscheme/core";
    import { http } from "@anyscheme/scheme-http";
    const client = createClient({ schemes: [http()], policy: anyAddress() });
    process.stdout.write(await (await client.dereference(process.argv[1])).text());
    const readAtMs = performance.now();
    // The pool closes an idle connection after 4 s.
    process.on("exit", () => process.stdout.write(performance.now() - readAtMs < 3_000 ? " at once" : " late"));
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", program, createServerUrl(server, "/end")],
    { cwd: new URL("../../../cli", import.meta.url), timeout: 12_000 },
  );
  expect(stdout).toBe("/end at once");
});
