import { anyAddress, createClient } from "@anyscheme/core";
import type { RequestHookEvent, ResponseHookEvent } from "@anyscheme/core/plugin";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { http } from "@anyscheme/scheme-http";
import { mailto } from "@anyscheme/scheme-others/mailto";
import { describe, expect, it } from "vitest";
import { catchAccessError } from "../../packages/core/test/catch-access-error.ts";
import { readRequestHeaderLines } from "../../packages/core/test/network/proxy/scripted-proxy.ts";

/** Starts a server that answers each request with its head, and keeps the connection open. */
function startEchoServer(answer?: (path: string) => string | undefined): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => {
    for (
      let head = await readRequestHeaderLines(peer);
      head.length > 0;
      head = await readRequestHeaderLines(peer)
    ) {
      const body = head.join("\n");
      const [, path = ""] = head[0]?.split(" ") ?? [];
      peer.send(
        answer?.(path) ?? `HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    }
  });
}

function createParent() {
  return createClient({ schemes: [http(), ftp(), mailto()], policy: anyAddress() });
}

const readHeaders = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split("\n")
      .slice(1)
      .map((line) => line.split(": ") as [string, string]),
  );

describe("client.extend: the base URL", () => {
  // RFC 3986 §5.2.
  it.each([
    ["/api/v1/", "users", "/api/v1/users"],
    ["/api/v1", "users", "/api/users"],
    ["/api/v1/", "/users", "/users"],
    ["/api/v1/", "../v2/users?a=b", "/api/v2/users?a=b"],
    ["/api/v1/", "?a=b", "/api/v1/?a=b"],
    ["/api/v1/", "", "/api/v1/"],
    ["/api/v1/", "./a:b", "/api/v1/a:b"],
  ])("the base %s and the reference %j request %s", async (base, reference, path) => {
    await using server = await startEchoServer();
    await using client = createParent();
    const api = client.extend({ baseUrl: `http://127.0.0.1:${server.port}${base}` });
    expect((await api.text(reference)).split("\n")[0]).toBe(`GET ${path} HTTP/1.1`);
    expect(String(api.plan(reference).url)).toContain(path);
  });

  it("fetch, stat, put and delete resolve relative URLs, and an absolute URL is used as it is", async () => {
    await using server = await startEchoServer();
    await using client = createParent();
    const origin = `http://127.0.0.1:${server.port}`;
    const api = client.extend({ baseUrl: new URL(`${origin}/a/`) }).extend({ baseUrl: "b/" });
    expect(await (await api.fetch("c")).text()).toMatch(/^GET \/a\/b\/c /);
    expect((await api.stat("c")).url.href).toBe(`${origin}/a/b/c`);
    expect((await api.put("c", "")).url.href).toBe(`${origin}/a/b/c`);
    expect((await api.delete("c")).url.href).toBe(`${origin}/a/b/c`);
    expect(await api.text(`${origin}/d`)).toMatch(/^GET \/d /);
  });

  it("a relative URL without a base URL is refused", async () => {
    await using client = createParent();
    await expect(client.extend({}).text("users")).rejects.toMatchObject({ code: "missing-scheme" });
  });
});

describe("client.extend: default options", () => {
  it("headers are merged by name: those of the call replace those of the extensions", async () => {
    await using server = await startEchoServer();
    await using client = createParent();
    const api = client
      .extend({ headers: { "X-A": "1", "X-B": "1" } })
      .extend({ headers: { "x-b": "2", "x-c": "2" } });
    const url = `http://127.0.0.1:${server.port}/` as const;
    expect(readHeaders(await api.text(url, { headers: { "X-C": "3" } }))).toMatchObject({
      "x-a": "1",
      "x-b": "2",
      "x-c": "3",
    });
    const response = await api.fetch(url, { headers: { "x-a": "4" } });
    expect(readHeaders(await response.text())).toMatchObject({ "x-a": "4", "x-b": "2" });
    expect(readHeaders(await client.text(url))).not.toHaveProperty("x-a");
  });

  it("the value undefined of a header removes the header, and the value undefined of a limit changes nothing", async () => {
    await using server = await startEchoServer();
    await using client = createParent();
    const api = client.extend({ headers: { "x-a": "1", "x-b": "1" }, limits: { maxBodyBytes: 5 } });
    const url = `http://127.0.0.1:${server.port}/` as const;
    const limits = { maxBodyBytes: undefined, callTimeoutMs: undefined };
    const headers = { "X-A": undefined, "x-c": "2" };
    const sent = readHeaders(await client.text(url, { headers, limits }));
    expect(sent).toMatchObject({ "x-c": "2" });
    expect(sent).not.toHaveProperty("x-a");
    expect(await catchAccessError(api.text(url, { limits }))).toMatchObject({ limit: "maxBodyBytes" });
    const short = readHeaders(await api.text(url, { headers, limits: { maxBodyBytes: 500 } }));
    expect(short).toMatchObject({ "x-b": "1", "x-c": "2" });
    expect(short).not.toHaveProperty("x-a");
  });

  it("an option of the call replaces the default, and limits are merged by name", async () => {
    await using server = await startEchoServer();
    await using client = createParent();
    const api = client
      .extend({ limits: { maxBodyBytes: 5 }, throwHttpErrors: false })
      .extend({ limits: { maxRedirects: 1 } });
    const url = `http://127.0.0.1:${server.port}/` as const;
    expect(await catchAccessError(api.text(url))).toMatchObject({ code: "limit", limit: "maxBodyBytes" });
    expect(await api.text(url, { limits: { maxBodyBytes: 500 } })).toContain("GET");
  });

  it("the method and the body of an extension with a base URL stay in the origin of the base URL", async () => {
    await using server = await startEchoServer();
    await using other = await startEchoServer();
    await using client = createParent();
    const baseUrl = `http://127.0.0.1:${server.port}/`;
    const api = client.extend({ baseUrl, method: "POST", body: "password=s3cret" });
    expect(await api.text("a")).toMatch(/^POST \/a /);
    expect(await api.text(`http://127.0.0.1:${other.port}/a`)).toMatch(/^GET \/a /);
    expect(other.connections[0]?.received.toString()).not.toContain("s3cret");
  });

  it("headers of an extension with a base URL stay in the origin of the base URL", async () => {
    await using server = await startEchoServer();
    await using other = await startEchoServer();
    await using client = createParent();
    const api = client.extend({
      baseUrl: `http://127.0.0.1:${server.port}/`,
      headers: { authorization: "Bearer secret", "x-key": "secret" },
      onRequest: () => ({ headers: { "x-signature": "secret" } }),
    });
    expect(await api.text("/")).toMatch(/Bearer secret[^]*x-signature/);
    expect(await api.text(`http://127.0.0.1:${other.port}/`)).not.toContain("secret");
    const moved = api.extend({ baseUrl: `http://127.0.0.1:${other.port}/` });
    expect(await moved.text("/")).not.toContain("secret");
  });

  it.each([
    ['extend has no option "header": did you mean "headers"?', { header: {} }],
    [
      'extend: the option "baseUrl" has to be a URL, such as http://h.example/api/, and not 5',
      { baseUrl: 5 },
    ],
    [
      'extend: the option "baseUrl" has to be the base of relative URLs, such as http://h.example/api/, and the URLs of the scheme mailto have no hierarchy, so relative URLs do not exist',
      { baseUrl: "mailto:a@b" },
    ],
    [
      'extend: the option "baseUrl" has to be the base of relative URLs, such as http://h.example/api/, and the URL has no "/" after "x-flat:"',
      { baseUrl: "x-flat:a" },
    ],
    [
      'extend: the option "onRequest" has to be a function, or an array of functions, and not 5',
      { onRequest: 5 },
    ],
    [
      'extend: the option "limits" has no option "maxBodyByte": did you mean "maxBodyBytes"?',
      { limits: { maxBodyByte: 1 } },
    ],
    ['extend has no option "schemes": ', { schemes: [] }],
    ['extend: the argument "options" has to be an object, and not undefined', undefined],
  ])("client.extend throws: %s", (message, options) => {
    expect(() => createParent().extend(options as object)).toThrow(message);
  });
});

describe("client.extend: connections", () => {
  it("an extended client uses the idle connections of its parent", async () => {
    await using server = await startEchoServer();
    await using client = createParent();
    const url = `http://127.0.0.1:${server.port}/`;
    await client.text(url);
    await client.extend({}).text(url);
    expect(server.connections).toHaveLength(1);
  });

  it("destroy() of an extended client aborts its own requests only", async () => {
    await using silent = await startScriptedServer((peer) => peer.closed);
    await using server = await startEchoServer();
    await using client = createParent();
    const api = client.extend({});
    const pending = catchAccessError(api.text(`http://127.0.0.1:${silent.port}/`));
    await api.destroy();
    expect(await pending).toMatchObject({ code: "aborted", reason: "the client was destroyed" });
    expect(await client.text(`http://127.0.0.1:${server.port}/`)).toContain("GET");
  });

  it("close() and destroy() of the parent end the extended client", async () => {
    await using silent = await startScriptedServer((peer) => peer.closed);
    const client = createParent();
    const api = client.extend({}).extend({});
    const pending = catchAccessError(api.text(`http://127.0.0.1:${silent.port}/`));
    await client.destroy();
    expect(await pending).toMatchObject({ code: "aborted", reason: "the client was destroyed" });
    const other = createParent();
    const closed = other.extend({});
    await other.close();
    expect(await catchAccessError(closed.text("http://h.example/"))).toMatchObject({
      reason: "the client is closed",
    });
  });
});

describe("hooks", () => {
  it("onRequest sees each attempt, and sets and removes headers in order", async () => {
    let failures = 1;
    await using server = await startEchoServer(() =>
      failures-- > 0 ? "HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n" : undefined,
    );
    await using client = createParent();
    const events: RequestHookEvent[] = [];
    const api = client
      .extend({
        headers: { "X-A": "1", "x-b": "1" },
        retry: { backoffMs: 0 },
        onRequest: [
          (event) => void events.push(event),
          () => ({ headers: { "x-c": "1", "x-b": undefined } }),
        ],
      })
      .extend({ onRequest: async () => ({ headers: { "x-c": "2" } }) });
    const headers = readHeaders(await api.text(`http://127.0.0.1:${server.port}/`));
    expect(headers).toMatchObject({ "x-a": "1", "x-c": "2" });
    expect(headers).not.toHaveProperty("x-b");
    expect(events.map(({ attempt, operation, headers: seen }) => ({ attempt, operation, seen }))).toEqual(
      [1, 2].map((attempt) => ({
        attempt,
        operation: "dereference",
        seen: [
          ["X-A", "1"],
          ["x-b", "1"],
        ],
      })),
    );
  });

  it("onResponse sees status and headers of each result without its body", async () => {
    await using server = await startEchoServer();
    await using client = createParent();
    const events: ResponseHookEvent[] = [];
    const api = client.extend({ onResponse: (event) => void events.push(event) });
    const url = `http://127.0.0.1:${server.port}/`;
    expect(await api.text(url)).toContain("GET");
    await api.stat(url);
    await api.text("mailto:a@b").catch(() => undefined);
    expect(events).toMatchObject([
      { kind: "content", status: 200, attempt: 1, operation: "dereference", url: { href: url } },
      { status: 200, operation: "stat" },
      { kind: "mailbox", status: undefined, headers: [] },
    ]);
    expect(events[0]?.headers).toContainEqual(["x-a", "b"]);
    expect(events[0]).not.toHaveProperty("body");
  });

  const bug = new Error("a bug");
  const throwBug = (): never => {
    throw bug;
  };
  it.each([
    ["onRequest that throws", { onRequest: throwBug }, "the callback onRequest threw an error: a bug"],
    [
      "onRequest that rejects",
      { onRequest: () => Promise.reject(bug) },
      "the callback onRequest threw an error: a bug",
    ],
    ["onResponse that throws", { onResponse: throwBug }, "the callback onResponse threw an error: a bug"],
    [
      "onRequest that returns a string",
      { onRequest: () => "x" },
      "the callback onRequest did not return { headers } with strings",
    ],
    [
      "onRequest that returns a number",
      { onRequest: () => ({ headers: { a: 5 } }) },
      "the callback onRequest did not return { headers } with strings",
    ],
    [
      "onRequest that returns another field",
      { onRequest: () => ({ url: "x" }) },
      "the callback onRequest did not return { headers } with strings",
    ],
  ])("%s fails the request with plugin", async (_, options, reason) => {
    await using server = await startEchoServer();
    await using client = createParent();
    const failure = await catchAccessError(
      client.dereference(`http://127.0.0.1:${server.port}/`, options as object),
    );
    expect(failure).toMatchObject({ code: "plugin", reason });
    await client.close();
  });

  it("the client refuses a header with a line end that onRequest returns", async () => {
    await using client = createParent();
    const onRequest = () => ({ headers: { "x-a": "1\r\nx-b: n33dle" } });
    const failure = await catchAccessError(client.dereference("http://127.0.0.1:9/", { onRequest }));
    expect(failure.code).toBe("refused-characters");
    expect(failure.message).not.toContain("n33dle");
  });

  it("the caller's signal ends a hook that never settles", async () => {
    await using client = createParent();
    const controller = new AbortController();
    const onRequest = (): Promise<void> => {
      queueMicrotask(() => controller.abort());
      return new Promise<never>(() => undefined);
    };
    const work = client.dereference("http://127.0.0.1:9/", { onRequest, signal: controller.signal });
    expect(await catchAccessError(work)).toMatchObject({ code: "aborted", url: "http://127.0.0.1:9/" });
  });

  it("the limit callTimeoutMs ends a hook that never settles", async () => {
    await using client = createParent();
    const onRequest = (): Promise<void> => new Promise<never>(() => undefined);
    const work = client.dereference("http://127.0.0.1:9/", { onRequest, limits: { callTimeoutMs: 2 } });
    expect(await catchAccessError(work)).toMatchObject({ code: "timeout", limit: "callTimeoutMs" });
  });
});
