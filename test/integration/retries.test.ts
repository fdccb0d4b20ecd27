import { anyAddress, type ClientOptions, createClient, type TraceEvent } from "@anyscheme/core";
import type { OperationResult, RetryOption } from "@anyscheme/core/plugin";
import { type LoopbackServer, type ScriptedPeer, startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { nntp } from "@anyscheme/scheme-others/nntp";
import { afterEach, describe, expect, it, vi } from "vitest";
import { catchAccessError } from "../../packages/core/test/catch-access-error.ts";

afterEach(() => void vi.restoreAllMocks());

const RETRY_AT_ONCE: RetryOption = { backoffMs: 0 };

function createTestClient(options: Partial<Omit<ClientOptions, "schemes">> = {}) {
  return createClient({
    schemes: [http(), ftp(), gopher(), nntp()],
    policy: anyAddress(),
    retry: RETRY_AT_ONCE,
    ...options,
  });
}

type TestClient = ReturnType<typeof createTestClient>;

type Call = (client: TestClient, url: `http://${string}`) => Promise<OperationResult>;

/** Starts a server that answers the n-th connection with the n-th answer, and all later ones with the last answer. */
function startAnsweringServer(...answers: readonly string[]): Promise<LoopbackServer> {
  return startScriptedServer(async (peer, connection) => {
    await readRequestHeaderLines(peer);
    const answer = answers[Math.min(connection, answers.length - 1)] ?? "";
    if (answer === "reset") peer.reset();
    else peer.send(answer);
  });
}

async function readRequestHeaderLines(peer: ScriptedPeer): Promise<void> {
  while ((await peer.readLine()) !== "");
}

const respond = (status: number, headers = ""): string =>
  `HTTP/1.1 ${status} X\r\nConnection: close\r\nContent-Length: 2\r\n${headers}\r\nok`;

describe("a request that failed temporarily is repeated", () => {
  it.each([408, 425, 429, 500, 502, 503, 504])(
    "a request is repeated after a response with the status %i",
    async (status) => {
      await using server = await startAnsweringServer(respond(status), respond(status), respond(200));
      await using client = createTestClient();
      const resource = await client.dereference(`http://127.0.0.1:${server.port}/` as const);
      expect(await resource.text()).toBe("ok");
      expect(server.connections).toHaveLength(3);
    },
  );

  it.each([400, 401, 404, 409, 501, 505])(
    "a request is not repeated after a response with the status %i",
    async (status) => {
      await using server = await startAnsweringServer(respond(status), respond(200));
      await using client = createTestClient();
      expect(await catchAccessError(client.dereference(`http://127.0.0.1:${server.port}/`))).toMatchObject({
        status,
      });
      expect(server.connections).toHaveLength(1);
    },
  );

  const ATTEMPTS: readonly (readonly [title: string, expected: number, retry: RetryOption])[] = [
    ["the default of two retries makes three attempts", 3, { backoffMs: 0 }],
    ["four retries make five attempts", 5, { backoffMs: 0, maxRetries: 4 }],
    ["no retries make one attempt", 1, 0],
    ["false makes one attempt", 1, false],
    ["other status codes make one attempt", 1, { backoffMs: 0, statusCodes: [500] }],
    ["other methods make one attempt", 1, { backoffMs: 0, methods: ["PUT"] }],
    ["methods are compared without case", 3, { backoffMs: 0, methods: ["get"] }],
  ];
  it.each(ATTEMPTS)("%s", async (_, expected, retry) => {
    await using server = await startAnsweringServer(respond(503));
    await using client = createTestClient({ retry: 1 });
    const failure = await catchAccessError(client.dereference(`http://127.0.0.1:${server.port}/`, { retry }));
    expect(failure).toMatchObject({ code: "unavailable", status: 503 });
    expect(server.connections).toHaveLength(expected);
  });

  it("a client without the option retry makes one attempt", async () => {
    await using server = await startAnsweringServer(respond(503));
    await using client = createTestClient({ retry: undefined });
    await catchAccessError(client.dereference(`http://127.0.0.1:${server.port}/`));
    expect(server.connections).toHaveLength(1);
  });

  it("fetch discards a response with status 503, and repeats the request", async () => {
    await using server = await startAnsweringServer(respond(503, "Retry-After: 0\r\n"), respond(200));
    await using client = createTestClient();
    expect((await client.fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(200);
    expect(server.connections).toHaveLength(2);
  });

  const CALLS_WITHOUT_HTTP_ERRORS: readonly (readonly [title: string, call: Call])[] = [
    ["dereference", (client, url) => client.dereference(url, { throwHttpErrors: false })],
    ["stat", (client, url) => client.stat(url, { throwHttpErrors: false })],
    ["put", (client, url) => client.put(url, "x", { throwHttpErrors: false })],
    ["delete", (client, url) => client.delete(url, { throwHttpErrors: false })],
  ];
  it.each(CALLS_WITHOUT_HTTP_ERRORS)(
    "%s with throwHttpErrors: false repeats the request after a response with the status 503",
    async (_, call) => {
      await using server = await startAnsweringServer(respond(503), respond(200));
      await using client = createTestClient();
      const { response } = await call(client, `http://127.0.0.1:${server.port}/`);
      expect(response?.status).toBe(200);
      expect(server.connections).toHaveLength(2);
    },
  );

  it("the connection of a discarded response is closed before the next attempt", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      await readRequestHeaderLines(peer);
      peer.send(connection > 0 ? respond(200) : "HTTP/1.1 503 X\r\nContent-Length: 100\r\n\r\nok");
      if (connection === 0) await peer.closed;
    });
    await using client = createTestClient({ limits: { maxConnectionsPerHost: 1 } });
    expect((await client.fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(200);
  });

  it.each<[RetryOption, number]>([
    [1, 1_000],
    [{ backoffMs: 60_000 }, 30_000],
    [{ backoffMs: 60_000, maxBackoffMs: 40_000 }, 40_000],
  ])("the longest wait before the first retry with %j is %i ms", async (retry, waitMs) => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    await using server = await startAnsweringServer(respond(503));
    const controller = new AbortController();
    const retries: string[] = [];
    await using client = createTestClient({
      retry,
      trace({ action, text }: TraceEvent) {
        if (action !== "retry") return;
        retries.push(text);
        controller.abort();
      },
    });
    await catchAccessError(
      client.dereference(`http://127.0.0.1:${server.port}/`, { signal: controller.signal }),
    );
    expect(retries).toEqual([expect.stringMatching(`^1 in ${waitMs} ms after`)]);
  });

  it("fetch returns the last response when all retries have failed", async () => {
    await using server = await startAnsweringServer(respond(503));
    await using client = createTestClient();
    const response = await client.fetch(`http://127.0.0.1:${server.port}/`);
    expect([response.status, await response.text()]).toEqual([503, "ok"]);
    expect(server.connections).toHaveLength(3);
  });
});

async function* yieldBytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("x");
}

describe("only a request that may be repeated is repeated", () => {
  const CALLS: readonly (readonly [title: string, attempts: number, call: Call])[] = [
    ["stat", 3, (client, url) => client.stat(url)],
    ["delete", 3, (client, url) => client.delete(url)],
    ["put of a string", 3, (client, url) => client.put(url, "x")],
    ["put of bytes", 3, (client, url) => client.put(url, Buffer.from("x"))],
    ["put of a Blob", 3, (client, url) => client.put(url, new Blob(["x"]))],
    ["put of an iterable, which can be read once", 1, (client, url) => client.put(url, yieldBytes())],
    ["GET as an option", 3, (client, url) => client.dereference(url, { method: "get" })],
    ["POST", 1, (client, url) => client.dereference(url, { method: "POST", body: "x" })],
    ["PATCH", 1, (client, url) => client.dereference(url, { method: "PATCH", body: "x" })],
    ["PUT with a string", 3, (client, url) => client.dereference(url, { method: "PUT", body: "x" })],
    ["PUT with a stream", 1, (client, url) => client.dereference(url, { method: "PUT", body: yieldBytes() })],
    [
      "POST, when the caller lists POST",
      3,
      (client, url) =>
        client.dereference(url, {
          method: "POST",
          body: "x",
          retry: { methods: ["POST"], backoffMs: 0 },
        }),
    ],
  ];
  it.each(CALLS)(
    "a call whose responses all have the status 503 (%s) makes %i attempts",
    async (_, attempts, call) => {
      await using server = await startAnsweringServer(respond(503));
      await using client = createTestClient();
      expect(await catchAccessError(call(client, `http://127.0.0.1:${server.port}/`))).toMatchObject({
        status: 503,
      });
      expect(server.connections).toHaveLength(attempts);
    },
  );
});

/** Starts a server that sends a greeting, and answers each line with the next reply. */
function startReplyServer(...replies: readonly string[]): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => {
    for (const reply of replies) {
      peer.send(`${reply}\r\n`);
      if ((await peer.readLine()) === undefined) return;
    }
  });
}

describe("a request of any protocol is repeated after a temporary failure", () => {
  const FAILURES: readonly (readonly [
    title: string,
    attempts: number,
    path: string,
    start: () => Promise<LoopbackServer>,
  ])[] = [
    ["http: a lost connection", 3, "http: /", () => startAnsweringServer("")],
    ["http: a reset connection", 3, "http: /", () => startAnsweringServer("reset")],
    ["http: an invalid response", 1, "http: /", () => startAnsweringServer("nonsense\r\n\r\n")],
    ["ftp: 421 at the greeting", 3, "ftp: /a", () => startReplyServer("421 Service not available")],
    [
      "ftp: 450 to a command",
      3,
      "ftp: /a/b",
      () => startReplyServer("220 ready", "230 in", '257 "/"', "450 busy"),
    ],
    [
      "ftp: 550 is permanent",
      1,
      "ftp: /a/b",
      () => startReplyServer("220 ready", "230 in", '257 "/"', "550 no"),
    ],
    ["ftp: 530 is permanent", 1, "ftp: /a", () => startReplyServer("220 ready", "530 no")],
    ["nntp: 400 at the greeting", 3, "nntp: /g/1", () => startReplyServer("400 later")],
    ["nntp: 502 is permanent", 1, "nntp: /g/1", () => startReplyServer("502 never")],
    ["gopher+: the error 2", 3, "gopher: /0/x%09%09+", () => startScriptedServer(sendGopherError("2"))],
    ["gopher+: the error 1", 1, "gopher: /0/x%09%09+", () => startScriptedServer(sendGopherError("1"))],
  ];
  const sendGopherError = (code: string) => async (peer: ScriptedPeer) => {
    await peer.readLine();
    peer.send(`--2\r\n${code} Admin <a@b.example>\r\nToo busy`);
  };

  it.each(FAILURES)("a request with a failure (%s) makes %i attempts", async (_, attempts, place, start) => {
    await using server = await start();
    await using client = createTestClient({
      policy: anyAddress({
        allowPorts: Object.fromEntries(["ftp", "gopher", "nntp"].map((name) => [name, [server.port]])),
      }),
    });
    const [scheme = "", path = ""] = place.split(" ");
    await catchAccessError(client.dereference(`${scheme}//127.0.0.1:${server.port}${path}`));
    expect(server.connections).toHaveLength(attempts);
  });

  it("a request is repeated after a refused connection, and the trace shows each retry", async () => {
    const server = await startAnsweringServer("");
    await server.stop();
    const events: TraceEvent[] = [];
    await using client = createTestClient({ trace: (event) => void events.push(event) });
    const failure = await catchAccessError(client.dereference(`http://127.0.0.1:${server.port}/`));
    expect(failure.message).toContain("connection refused (ECONNREFUSED)");
    expect(events.filter(({ action }) => action === "retry").map(({ text }) => text)).toEqual([
      expect.stringMatching(/^1 in 0 ms after: cannot connect/),
      expect.stringMatching(/^2 in 0 ms after: cannot connect/),
    ]);
  });
});

describe("the wait before a retry", () => {
  const LONG_WAIT: RetryOption = { backoffMs: 20_000 };

  it.each([
    ["a request is repeated when Retry-After is 0 seconds", "Retry-After: 0", 2],
    [
      "a request is repeated when the date of Retry-After has passed",
      "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT",
      2,
    ],
    ["a request is not repeated when Retry-After is longer than maxBackoffMs", "Retry-After: 31", 1],
    [
      "a request is not repeated when the date of Retry-After is after maxBackoffMs",
      "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 08:59:37 GMT",
      1,
    ],
  ])("%s", async (_, header, attempts) => {
    await using server = await startAnsweringServer(respond(503, `${header}\r\n`), respond(200));
    await using client = createTestClient();
    await client.dereference(`http://127.0.0.1:${server.port}/`).catch(() => undefined);
    expect(server.connections).toHaveLength(attempts);
  });

  it("the caller's signal ends the wait", async () => {
    await using server = await startAnsweringServer(respond(503));
    const controller = new AbortController();
    const trace = ({ action }: TraceEvent): void => {
      if (action === "retry") queueMicrotask(() => controller.abort());
    };
    await using client = createTestClient({ retry: LONG_WAIT, trace });
    const url = `http://127.0.0.1:${server.port}/`;
    expect(await catchAccessError(client.dereference(url, { signal: controller.signal }))).toMatchObject({
      code: "aborted",
      url,
    });
    expect(server.connections).toHaveLength(1);
  });

  it("client.destroy() ends the wait", async () => {
    await using server = await startAnsweringServer(respond(503));
    const trace = ({ action }: TraceEvent): void => {
      if (action === "retry") queueMicrotask(() => void client.destroy());
    };
    const client = createTestClient({ retry: LONG_WAIT, trace });
    expect(await catchAccessError(client.dereference(`http://127.0.0.1:${server.port}/`))).toMatchObject({
      code: "aborted",
      reason: "the client was destroyed",
    });
  });

  it("a wait beyond callTimeoutMs is not begun", async () => {
    await using server = await startAnsweringServer(respond(503));
    await using client = createTestClient({ retry: LONG_WAIT, limits: { callTimeoutMs: 5_000 } });
    expect(await catchAccessError(client.dereference(`http://127.0.0.1:${server.port}/`))).toMatchObject({
      status: 503,
    });
    expect(server.connections).toHaveLength(1);
  });
});
