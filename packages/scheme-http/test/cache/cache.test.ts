import { createClient, type Resource } from "@anyscheme/core";
import { memoryCache } from "@anyscheme/core/cache";
import { http } from "@anyscheme/scheme-http";
import { gzipSync } from "node:zlib";
import { startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import {
  createServerUrl,
  createTestClient,
  getRejectedError,
  getWithGivenClient,
  readRequestHead,
} from "../test-client.ts";
import {
  createCachingClient,
  hasHeader,
  createResponseText,
  startRecordingOriginServer,
} from "./caching-client-and-origin.ts";

const FRESH = "cache-control: max-age=60";
const STALE = "cache-control: max-age=0";
const TAG = 'etag: "a"';

describe("a client with a cache", () => {
  it("the client traces misses, stored responses, hits and revalidations", async () => {
    await using server = await startRecordingOriginServer((request, index) =>
      hasHeader(request, "if-none-match")
        ? `HTTP/1.1 304 Not Modified\r\n${FRESH}\r\n${TAG}\r\n\r\n`
        : createResponseText(`body ${index}`, [STALE, TAG]),
    );
    const { read, traces } = createCachingClient();
    await read(server.url());
    await read(server.url());
    await read(server.url());
    expect(traces).toEqual([
      "miss",
      "stored, 6 bytes",
      "stale, the client revalidates the stored response",
      "revalidated",
      "hit, age 0 s",
    ]);
  });

  it("a client without the option cache does not store responses", async () => {
    await using server = await startRecordingOriginServer(() => createResponseText("x", [FRESH]));
    const client = createClient({
      schemes: [http()],
      policy: (await import("@anyscheme/core")).anyAddress(),
    });
    for (let count = 0; count < 2; count++) await (await client.dereference(server.url())).bytes();
    expect(server.requests).toHaveLength(2);
  });

  it("the client returns the head of the stored response with its age, without cookies", async () => {
    await using server = await startRecordingOriginServer(() =>
      createResponseText("x", [
        FRESH,
        "age: 7",
        "content-type: text/plain",
        "set-cookie: a=b",
        "x-a: 1",
        "x-a: 2",
      ]),
    );
    const { client, read } = createCachingClient();
    await read(server.url());
    const stored = await getWithGivenClient(client, server.url());
    expect(stored.mediaType).toBe("text/plain");
    expect(stored.httpResponse).toMatchObject({ status: 200, headers: { age: ["7"], "x-a": ["1", "2"] } });
    expect(stored.httpResponse.headers).not.toHaveProperty("set-cookie");
  });

  it("the cache stores the encoded body, and decodes the body for each request", async () => {
    const encoded = gzipSync("hello").toString("latin1");
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send(
        Buffer.from(
          `HTTP/1.1 200 OK\r\n${FRESH}\r\ncontent-encoding: gzip\r\ncontent-length: ${encoded.length}\r\n\r\n${encoded}`,
          "latin1",
        ),
      );
    });
    const { read } = createCachingClient();
    expect(await read(createServerUrl(server))).toBe("hello");
    expect(await read(createServerUrl(server))).toBe("hello");
    expect(server.connections).toHaveLength(1);
  });

  it.each(["gzip", "deflate", "br"])(
    "the cache stores a chunked body with the coding %s, whose last chunk arrives later",
    async (coding) => {
      const zlib = await import("node:zlib");
      const encoders: Record<string, (text: string) => Buffer> = {
        gzip: zlib.gzipSync,
        deflate: zlib.deflateSync,
        br: zlib.brotliCompressSync,
      };
      const encoded = encoders[coding]?.("hello") ?? Buffer.alloc(0);
      const { promise: isRead, resolve: onRead } = Promise.withResolvers<void>();
      await using server = await startScriptedServer(async (peer) => {
        await readRequestHead(peer);
        peer.send(
          `HTTP/1.1 200 OK\r\n${FRESH}\r\ncontent-encoding: ${coding}\r\ntransfer-encoding: chunked\r\n\r\n`,
        );
        peer.send(
          Buffer.concat([Buffer.from(`${encoded.length.toString(16)}\r\n`), encoded, Buffer.from("\r\n")]),
        );
        await isRead;
        peer.send("0\r\n\r\n");
      });
      const { client, read, traces } = createCachingClient();
      const resource = await getWithGivenClient(client, createServerUrl(server));
      const reader = resource.body.getReader();
      await reader.read();
      onRead();
      await reader.read();
      expect(traces).toContain(`stored, ${encoded.length} bytes`);
      expect(await read(createServerUrl(server))).toBe("hello");
    },
  );

  it("the cache answers a range from a whole stored response", async () => {
    await using server = await startRecordingOriginServer(() => createResponseText("0123456789", [FRESH]));
    const { client, read } = createCachingClient();
    await read(server.url());
    expect(await read(server.url(), { range: { start: 2, endExclusive: 5 } })).toBe("234");
    expect(await getRejectedError(read(server.url(), { range: { start: 11 } }))).toMatchObject({
      code: "out-of-range",
    });
    const response = await client.fetch(server.url(), { headers: { range: "bytes=8-" } });
    // `fetch` returns the response of the server, which ignores the range here.
    expect([response.status, await response.text()]).toEqual([200, "0123456789"]);
    expect(server.requests).toHaveLength(2);
  });

  it("the cache answers a condition of the caller from a fresh stored response", async () => {
    await using server = await startRecordingOriginServer(() => createResponseText("x", [FRESH, TAG]));
    const { client, read } = createCachingClient();
    await read(server.url());
    const same: Resource = await getWithGivenClient(client, server.url(), { ifNoneMatch: '"b", W/"a"' });
    expect(same.kind).toBe("not-modified");
    expect(await read(server.url(), { ifNoneMatch: '"b"' })).toBe("x");
    expect(server.requests).toHaveLength(1);
  });

  it("the client passes the condition of the caller on for a stale stored response", async () => {
    await using server = await startRecordingOriginServer((_request, index) =>
      index === 0 ? createResponseText("x", [STALE, TAG]) : 'HTTP/1.1 304 Not Modified\r\netag: "b"\r\n\r\n',
    );
    const { client, read } = createCachingClient();
    await read(server.url());
    const same: Resource = await getWithGivenClient(client, server.url(), { ifNoneMatch: '"b"' });
    expect(same.kind).toBe("not-modified");
    expect(server.requests[1]).toContain('if-none-match: "b"');
  });

  it("the client requests the content again when a 304 response has another entity tag", async () => {
    await using server = await startRecordingOriginServer((request, index) =>
      hasHeader(request, "if-none-match")
        ? 'HTTP/1.1 304 Not Modified\r\netag: "b"\r\n\r\n'
        : createResponseText(`body ${index}`, [STALE, TAG]),
    );
    const { read } = createCachingClient();
    await read(server.url());
    expect(await read(server.url())).toBe("body 2");
  });

  it("the cache updates the headers of the stored response from a 304 response", async () => {
    await using server = await startRecordingOriginServer((_request, index) =>
      index === 0
        ? createResponseText("x", [STALE, TAG, "x-old: 1", "x-both: 1"])
        : `HTTP/1.1 304 Not Modified\r\n${FRESH}\r\n${TAG}\r\nx-both: 2\r\nx-new: 2\r\ncontent-length: 9\r\n\r\n`,
    );
    const { client, read } = createCachingClient();
    await read(server.url());
    for (let count = 0; count < 2; count++) {
      const { httpResponse: head } = await getWithGivenClient(client, server.url());
      expect(head.headers).toMatchObject({
        "x-old": ["1"],
        "x-both": ["2"],
        "x-new": ["2"],
        "content-length": ["1"],
      });
    }
    expect(server.requests).toHaveLength(2);
  });

  it("the client replaces the stored response when the server sends another body", async () => {
    await using server = await startRecordingOriginServer((_request, index) =>
      createResponseText(`body ${index}`, [index === 0 ? STALE : FRESH, `etag: "${index}"`]),
    );
    const { read } = createCachingClient();
    await read(server.url());
    expect(await read(server.url())).toBe("body 1");
    expect(await read(server.url())).toBe("body 1");
    expect(server.requests).toHaveLength(2);
  });

  it.each(["redirect", "error"])("the cache stores the head of a %s", async (kind) => {
    await using server = await startRecordingOriginServer(([line]) => {
      if (line?.startsWith("GET /target")) return createResponseText("x", [FRESH]);
      const [status, ...headers] =
        kind === "error" ? ["404 Not Found"] : ["301 Moved Permanently", "location: /target"];
      return createResponseText("a page that is not read", [FRESH, ...headers], status);
    });
    const { read } = createCachingClient();
    for (let count = 0; count < 2; count++)
      await read(server.url("/start")).catch((error: unknown) =>
        expect(error).toMatchObject({ code: "not-found" }),
      );
    expect(server.requests).toHaveLength(kind === "error" ? 1 : 2);
    // The body was not stored, so a request that reads the body is sent to the server.
    expect(await read(server.url("/start"), { redirect: "manual", throwHttpErrors: false })).toBe(
      "a page that is not read",
    );
  });

  it.each(["no stored response", "a stored response that needs validation"])(
    "only-if-cached throws unavailable with %s",
    async (state) => {
      await using server = await startRecordingOriginServer(() =>
        createResponseText("x", [`${FRESH}, no-cache`, TAG]),
      );
      const { read } = createCachingClient();
      if (state !== "no stored response") await read(server.url());
      const refused = read(server.url(), { headers: { "cache-control": "only-if-cached" } });
      expect(await getRejectedError(refused)).toMatchObject({ code: "unavailable" });
      expect(server.requests).toHaveLength(state === "no stored response" ? 0 : 1);
    },
  );

  it("the cache deletes the stored response when a 304 response has the directive no-store", async () => {
    await using server = await startRecordingOriginServer((request) =>
      hasHeader(request, "if-none-match")
        ? "HTTP/1.1 304 Not Modified\r\ncache-control: no-store\r\n\r\n"
        : createResponseText("body", ["cache-control: max-age=0", 'etag: "a"']),
    );
    const { read, cache } = createCachingClient();
    expect([await read(server.url()), await read(server.url())]).toEqual(["body", "body"]);
    expect(await cache.find(server.url())).toEqual([]);
  });

  it("only-if-cached throws unavailable without a cache", async () => {
    await using server = await startRecordingOriginServer(() => createResponseText("x"));
    await using client = createTestClient();
    const refused = getWithGivenClient(client, server.url(), { cache: "only-if-cached" });
    expect(await getRejectedError(refused)).toMatchObject({ code: "unavailable" });
    await expect(client.fetch(server.url(), { cache: "only-if-cached" })).rejects.toThrow(TypeError);
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    { cache: "reload" as const, sent: "cache-control: no-cache" },
    { cache: "no-cache" as const, sent: "cache-control: max-age=0" },
  ])("a request with the mode $cache has the header $sent", async ({ cache, sent }) => {
    await using server = await startRecordingOriginServer(() => createResponseText("x"));
    await createCachingClient().read(server.url(), { cache });
    expect(server.requests[0]).toContain(sent);
  });
});

describe("the cache applies stale-if-error", () => {
  it.each<{ title: string; header: string; shared?: boolean; isUsed: boolean }>([
    {
      title: "the cache uses a response with stale-if-error after the status 503",
      header: "cache-control: max-age=0, stale-if-error=60",
      isUsed: true,
    },
    {
      title: "the cache does not use a response with stale-if-error and must-revalidate",
      header: "cache-control: max-age=0, stale-if-error=60, must-revalidate",
      isUsed: false,
    },
    {
      title: "the cache does not use a response that is older than its stale-if-error time",
      header: "cache-control: max-age=0, stale-if-error=60\r\nage: 61",
      isUsed: false,
    },
    { title: "the cache does not use a stale response without stale-if-error", header: STALE, isUsed: false },
    {
      title: "a shared cache does not use a response with stale-if-error and proxy-revalidate",
      header: "cache-control: max-age=0, stale-if-error=60, proxy-revalidate",
      shared: true,
      isUsed: false,
    },
    {
      title: "a private cache uses a response with stale-if-error and proxy-revalidate",
      header: "cache-control: max-age=0, stale-if-error=60, proxy-revalidate",
      shared: false,
      isUsed: true,
    },
    {
      title: "a shared cache does not use a response with stale-if-error and s-maxage",
      header: "cache-control: max-age=0, stale-if-error=60, s-maxage=0",
      shared: true,
      isUsed: false,
    },
    {
      title: "a private cache uses a response with stale-if-error and s-maxage",
      header: "cache-control: max-age=0, stale-if-error=60, s-maxage=0",
      shared: false,
      isUsed: true,
    },
  ])("$title", async ({ header, shared = false, isUsed }) => {
    await using server = await startRecordingOriginServer((_request, index) =>
      index === 0
        ? createResponseText("x", [header, TAG])
        : createResponseText("", [], "503 Service Unavailable"),
    );
    const { read } = createCachingClient({ cache: memoryCache({ shared }) });
    await read(server.url());
    if (isUsed) expect(await read(server.url())).toBe("x");
    else expect(await getRejectedError(read(server.url()))).toMatchObject({ code: "unavailable" });
  });

  it("a stale-if-error of the request allows a stale response when the server cannot be reached", async () => {
    const server = await startRecordingOriginServer(() => createResponseText("x", [STALE, TAG]));
    const { read } = createCachingClient();
    await read(server.url());
    const url = server.url();
    await server[Symbol.asyncDispose]();
    expect(await read(url, { headers: { "cache-control": "stale-if-error=60" } })).toBe("x");
    expect(await getRejectedError(read(url))).toMatchObject({ code: "unavailable" });
  });
});

describe("the cache stores only complete bodies", () => {
  const cases = [
    {
      title: "a body that the caller cancels",
      response: createResponseText("x".repeat(100_000), [FRESH]),
      isClosed: true,
    },
    {
      title: "a body that ends with the connection",
      response: `HTTP/1.1 200 OK\r\n${FRESH}\r\n\r\nx`,
      isClosed: false,
    },
    {
      title: "a body that ends early, because the server closes the connection",
      response: `HTTP/1.1 200 OK\r\n${FRESH}\r\ncontent-length: 9\r\n\r\nx`,
      isClosed: false,
    },
    {
      title: "a body above maxEntryBytes",
      response: createResponseText("x".repeat(200), [FRESH]),
      isClosed: false,
    },
    {
      title: "a chunked body above maxEntryBytes",
      response: `HTTP/1.1 200 OK\r\n${FRESH}\r\ntransfer-encoding: chunked\r\n\r\nc8\r\n${"x".repeat(200)}\r\n0\r\n\r\n`,
      isClosed: false,
    },
  ];
  it("a trace listener that throws while a body is closed does not end the process", async () => {
    await using server = await startRecordingOriginServer(() =>
      createResponseText("x".repeat(500_000), [FRESH]),
    );
    const unhandled: unknown[] = [];
    const record = (error: unknown): unknown => unhandled.push(error);
    process.on("unhandledRejection", record);
    const client = createTestClient({
      cache: memoryCache(),
      trace({ text }) {
        if (text.startsWith("not stored")) throw new Error("fault of the listener");
      },
    });
    await (await getWithGivenClient(client, server.url())).close();
    // Node.js reports an unhandled rejection after the microtasks of a turn.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", record);
    expect(unhandled).toEqual([]);
  });

  it.each(cases)("$title is not stored", async ({ response, isClosed }) => {
    let requests = 0;
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      requests++;
      peer.send(response);
    });
    const { client, read } = createCachingClient({
      cache: memoryCache({ maxEntryBytes: isClosed ? 1_000_000 : 100 }),
    });
    for (let count = 0; count < 2; count++) {
      if (isClosed) await (await getWithGivenClient(client, createServerUrl(server))).close();
      else await read(createServerUrl(server)).catch(() => undefined);
    }
    expect(requests).toBe(2);
  });
});
