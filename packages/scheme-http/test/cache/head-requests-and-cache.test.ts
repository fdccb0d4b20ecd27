import { memoryCache } from "@anyscheme/core/cache";
import { describe, expect, it } from "vitest";
import { getRejectedError, type HttpGetOptions, getWithGivenClient } from "../test-client.ts";
import {
  createCachingClient,
  createResponseText,
  startRecordingOriginServer,
} from "./caching-client-and-origin.ts";

const FRESH = "cache-control: max-age=60";
const HEAD: HttpGetOptions = { method: "HEAD" };

interface Case {
  readonly title: string;
  readonly stored?: readonly string[];
  readonly getOptions?: HttpGetOptions;
  readonly options?: HttpGetOptions;
  /** True when the stored response answers the request. */
  readonly isHit: boolean;
}

describe("HEAD requests read the cache, and change no stored response", () => {
  const cases: readonly Case[] = [
    { title: "a fresh stored response answers HEAD", isHit: true },
    {
      title: "a stale stored response does not answer HEAD",
      stored: ["cache-control: max-age=0", 'etag: "a"'],
      isHit: false,
    },
    {
      title: "a stored response does not answer HEAD with another value of a header in Vary",
      stored: [FRESH, "vary: accept-language"],
      options: { headers: { "accept-language": "fr" } },
      isHit: false,
    },
    {
      title: "a response to a request with a token does not answer HEAD without the token",
      getOptions: { headers: { authorization: "Bearer a" } },
      isHit: false,
    },
    {
      title: "a response to a request with a token answers HEAD with the same token",
      getOptions: { headers: { authorization: "Bearer a" } },
      options: { headers: { authorization: "Bearer a" } },
      isHit: true,
    },
    { title: "HEAD with cache no-cache asks the server", options: { cache: "no-cache" }, isHit: false },
    { title: "HEAD with cache reload asks the server", options: { cache: "reload" }, isHit: false },
    { title: "HEAD with cache no-store asks the server", options: { cache: "no-store" }, isHit: false },
  ];
  it.each(cases)("$title", async ({ stored = [FRESH], getOptions, options, isHit }) => {
    await using server = await startRecordingOriginServer(([line], index) =>
      line?.startsWith("GET")
        ? createResponseText("body", [...stored, "x-index: 0"])
        : `HTTP/1.1 200 OK\r\ncontent-length: 4\r\nx-index: ${index}\r\n\r\n`,
    );
    const { client, read } = createCachingClient();
    await read(server.url(), getOptions);
    const head = await getWithGivenClient(client, server.url(), { ...HEAD, ...options });
    expect(head.httpResponse.headers).toMatchObject({
      "content-length": ["4"],
      "x-index": [isHit ? "0" : "1"],
    });
    expect(await head.bytes()).toHaveLength(0);
    expect(server.requests).toHaveLength(isHit ? 1 : 2);
  });

  it("HEAD changes no stored response, and client.fetch and only-if-cached read it", async () => {
    await using server = await startRecordingOriginServer(([line]) =>
      line?.startsWith("GET") ? createResponseText("body", [FRESH]) : `HTTP/1.1 200 OK\r\n${FRESH}\r\n\r\n`,
    );
    const { client, read, cache } = createCachingClient();
    await getWithGivenClient(client, server.url(), HEAD);
    expect(await cache.find(server.url())).toEqual([]);
    const failure = await getRejectedError(read(server.url(), { ...HEAD, cache: "only-if-cached" }));
    expect(failure).toMatchObject({ code: "unavailable" });
    await read(server.url());
    await getWithGivenClient(client, server.url(), { ...HEAD, cache: "reload" });
    const response = await client.fetch(server.url(), { method: "HEAD", cache: "only-if-cached" });
    expect(response.headers.get("content-length")).toBe("4");
    expect(await read(server.url(), { cache: "only-if-cached" })).toBe("body");
  });

  it("the client answers HEAD from a stored redirect", async () => {
    await using server = await startRecordingOriginServer(([line]) =>
      line?.startsWith("GET /a")
        ? createResponseText("", [FRESH, "location: /b"], "301 Moved")
        : createResponseText("b", [FRESH]),
    );
    const { client, read } = createCachingClient();
    await read(server.url("/a"));
    const options = { ...HEAD, redirect: "manual", throwHttpErrors: false } as const;
    const head = await getWithGivenClient(client, server.url("/a"), options);
    expect(head.httpResponse.status).toBe(301);
    expect(server.requests).toHaveLength(2);
  });

  it("HEAD with ifNoneMatch returns not-modified for a stored response with this entity tag", async () => {
    await using server = await startRecordingOriginServer(() =>
      createResponseText("body", [FRESH, 'etag: "a"']),
    );
    const { client, read } = createCachingClient();
    await read(server.url());
    const options = { ...HEAD, ifNoneMatch: '"a"' };
    expect(await getWithGivenClient(client, server.url(), options)).toMatchObject({
      kind: "not-modified",
    });
  });

  it.each([
    ["default", 2],
    ["no-cache", 2],
    ["force-cache", 1],
    ["only-if-cached", 1],
  ] as const)(
    "stat with cache %s after one request: the server has received %i requests",
    async (cache, count) => {
      await using server = await startRecordingOriginServer(([line]) =>
        line?.startsWith("GET")
          ? createResponseText("body", ["cache-control: max-age=0", 'etag: "a"', "content-type: text/css"])
          : "HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-type: text/css\r\n\r\n",
      );
      const { client, read } = createCachingClient();
      await read(server.url());
      expect(await client.stat(server.url(), { cache })).toMatchObject({
        kind: "content",
        size: 4,
        mediaType: "text/css",
      });
      expect(server.requests).toHaveLength(count);
    },
  );

  it("stat with only-if-cached throws unavailable without a stored response", async () => {
    await using server = await startRecordingOriginServer(() => createResponseText("body", [FRESH]));
    const { client } = createCachingClient();
    await expect(client.stat(server.url(), { cache: "only-if-cached" })).rejects.toMatchObject({
      code: "unavailable",
      reason: "the cache has no stored response, and the request allows no other",
    });
    expect(server.requests).toEqual([]);
  });
});

it("a response with status 206 is not stored", async () => {
  await using server = await startRecordingOriginServer(() =>
    createResponseText("od", [FRESH, "content-range: bytes 1-2/4"], "206 Partial Content"),
  );
  const cache = memoryCache();
  const { read } = createCachingClient({ cache });
  expect(await read(server.url(), { range: { start: 1, endExclusive: 3 } })).toBe("od");
  expect(await cache.find(server.url())).toEqual([]);
});

it("a response that a gateway of RFC 1738 §4 has sent is stored under the URL of the gateway", async () => {
  await using server = await startRecordingOriginServer((_request, index) =>
    createResponseText(`body ${index}`, [FRESH]),
  );
  const { client, cache } = createCachingClient({
    gateways: { wais: server.url("/gate/{+url}") },
  });
  const read = async (options?: object): Promise<string> =>
    (await getWithGivenClient(client, "wais://h.example/db", options)).text();
  expect(await read()).toBe("body 0");
  // The gateway receives no header of the caller, so the response belongs to no user.
  expect(await read({ headers: { authorization: "Bearer of-ada" } })).toBe("body 0");
  expect(await cache.find(server.url("/gate/wais://h.example/db"))).toHaveLength(1);
  expect(JSON.stringify(server.requests)).not.toContain("of-ada");
});
