import { anyAddress, createClient, publicInternet, type Resource } from "@anyscheme/core";
import { memoryCache } from "@anyscheme/core/cache";
import { startScriptedServer } from "@anyscheme/core/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { gopher, type GopherOptions } from "../../src/index.ts";

/** A server, and a client with a cache that records the trace events of the cache. */
interface CachingTestClient extends AsyncDisposable {
  /** The requests that the server has received. */
  readonly requests: readonly string[];
  readonly traces: string[];
  /** Reads the item at a path. Returns its text or the names of its entries, and its completeness. */
  read(path: string, options?: object): Promise<string>;
  readonly dereference: (path: string, options?: object) => Promise<Resource>;
}

/** Starts a server that responds to each request with the chunks of `answer`, and creates a client with a cache. */
async function startCachingClient(
  answer: (request: string, index: number) => string | readonly string[],
  { cacheTtlMs = 60_000 }: GopherOptions = {},
): Promise<CachingTestClient> {
  const requests: string[] = [];
  const traces: string[] = [];
  const server = await startScriptedServer(async (peer) => {
    const request = (await peer.readLine()) ?? "";
    for (const chunk of [answer(request, requests.push(request) - 1)].flat()) {
      peer.send(chunk);
      await new Promise(setImmediate);
    }
  });
  const client = createClient({
    schemes: [gopher({ cacheTtlMs })],
    policy: anyAddress({ allowPorts: { gopher: [server.port] } }),
    cache: memoryCache(),
    trace: ({ action, text }) => action === "cache" && traces.push(text),
  });
  const dereference = (path: string, requestOptions?: object): Promise<Resource> =>
    client.dereference(`gopher://127.0.0.1:${server.port}/${path}`, requestOptions);
  return {
    requests,
    traces,
    dereference,
    async read(path, requestOptions) {
      const resource = await dereference(path, requestOptions);
      if (resource.kind === "content") return `${await resource.text()} ${await resource.completeness}`;
      if (resource.kind !== "directory") return resource.kind;
      const names: string[] = [];
      for await (const { name } of resource) names.push(name);
      return `${names.join()} ${await resource.completeness}`;
    },
    async [Symbol.asyncDispose]() {
      await client.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

const menu = (name: string): string => `0${name}\t/a\th.example\t70\r\n`;

describe("the cache of Gopher responses", () => {
  interface Case {
    readonly title: string;
    readonly path: string;
    readonly answer: (index: number) => string | readonly string[];
    readonly expected: string;
  }
  const cases: readonly Case[] = [
    {
      title: "a text with a final dot",
      path: "0/a",
      answer: (i) => `a${i}\r\n.\r\n`,
      expected: "a0\r\n verified",
    },
    { title: "a text without a final dot", path: "0/a", answer: (i) => `a${i}`, expected: "a0 unverified" },
    {
      title: "a text in chunks",
      path: "0/a",
      answer: (i) => [`a${i}`, "b", "c\r\n.\r\n"],
      expected: "a0bc\r\n verified",
    },
    { title: "a binary item", path: "9/a", answer: (i) => `a${i}`, expected: "a0 unverified" },
    { title: "an empty item", path: "9/a", answer: () => "", expected: " unverified" },
    {
      title: "a menu",
      path: "1/a",
      answer: (i) => [menu(`n${i}`), menu("m"), ".\r\n"],
      expected: "n0,m verified",
    },
    {
      title: "a menu without a final dot",
      path: "1/a",
      answer: (i) => menu(`n${i}`),
      expected: "n0 unverified",
    },
    { title: "a search", path: "7/a%09b", answer: (i) => `${menu(`n${i}`)}.\r\n`, expected: "n0 verified" },
    {
      title: "a Gopher+ item of a stated length",
      path: "0/a%09%09+",
      answer: (i) => `+2\r\na${i}`,
      expected: "a0 verified",
    },
    {
      title: "a Gopher+ item up to a dot",
      path: "0/a%09%09+",
      answer: (i) => `+-1\r\na${i}\r\n.\r\n`,
      expected: "a0\r\n verified",
    },
    {
      title: "attributes",
      path: "0/a%09%09!",
      answer: (i) => `+-1\r\n+INFO: 0n${i}\t/a\th.example\t70\r\n.\r\n`,
      expected: "+INFO: 0n0\t/a\th.example\t70\r\n verified",
    },
  ];
  it.each(cases)(
    "a stored response answers the second request: $title",
    async ({ path, answer, expected }) => {
      await using client = await startCachingClient((_, index) => answer(index));
      expect(await client.read(path)).toBe(expected);
      expect(await client.read(path)).toBe(expected);
      expect(client.requests).toHaveLength(1);
      expect(client.traces).toEqual(["miss", expect.stringMatching(/^stored, \d+ bytes$/), "hit, age 0 s"]);
    },
  );

  it.each<{ readonly title: string; readonly options?: object; readonly client?: GopherOptions }>([
    { title: "an item without a time to live", client: { cacheTtlMs: 0 } },
    { title: "an item when the request has a time to live of 0", options: { cacheTtlMs: 0 } },
    { title: "an item when the request has cache reload", options: { cache: "reload" } },
    { title: "an item when the request has cache no-cache", options: { cache: "no-cache" } },
    { title: "an item when the request has cache no-store", options: { cache: "no-store" } },
  ])("the client asks the server for $title", async ({ options, client: clientOptions }) => {
    await using client = await startCachingClient((_, index) => `a${index}`, clientOptions);
    expect(await client.read("0/a")).toBe("a0 unverified");
    expect(await client.read("0/a", options)).toBe("a1 unverified");
  });

  describe("the time to live decides whether a stored response is used", () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 }));
    afterEach(() => void vi.useRealTimers());

    it.each([
      { title: "an item that is as old as its time to live", elapsedMs: 60_000, expected: "a1" },
      { title: "an item that is younger than its time to live", elapsedMs: 59_999, expected: "a0" },
      { title: "an item that was stored before the clock was set back", elapsedMs: -1, expected: "a1" },
      {
        title: "an old item when the request has force-cache",
        elapsedMs: 60_000,
        options: { cache: "force-cache" },
        expected: "a0",
      },
      {
        title: "an old item when the request has only-if-cached",
        elapsedMs: 60_000,
        options: { cache: "only-if-cached" },
        expected: "a0",
      },
      {
        title: "an item that is younger than the time to live of the request",
        elapsedMs: 60_000,
        options: { cacheTtlMs: 60_001 },
        expected: "a0",
      },
    ])("a request for $title returns $expected", async ({ elapsedMs, expected, options }) => {
      await using client = await startCachingClient((_, index) => `a${index}`);
      await client.read("0/a");
      vi.setSystemTime(1_000_000 + elapsedMs);
      expect(await client.read("0/a", options)).toBe(`${expected} unverified`);
    });
  });

  it.each([
    { title: "an error message", path: "0/a", answer: "3'/a' does not exist!\t\terror.host\t1\r\n.\r\n" },
    {
      title: "an error message in place of a menu",
      path: "1/a",
      answer: "3'/a' does not exist!\t\terror.host\t1\r\n.\r\n",
    },
    {
      title: "a Gopher+ error",
      path: "0/a%09%09+",
      answer: "--1\r\n1 Ada <ada@h.example>\r\nnot found\r\n.\r\n",
    },
    { title: "a Gopher+ item that ends too early", path: "0/a%09%09+", answer: "+9\r\na" },
  ])("$title is not stored in the cache", async ({ path, answer }) => {
    await using client = await startCachingClient((_, index) => (index === 0 ? answer : "+2\r\nab"));
    await expect(client.read(path)).rejects.toMatchObject({ name: "AccessError" });
    await client.read(path).catch(() => undefined);
    expect(client.requests).toHaveLength(2);
    expect(client.traces.filter((text) => text.startsWith("hit"))).toEqual([]);
  });

  it("a body that the caller does not read to its end is not stored in the cache", async () => {
    await using client = await startCachingClient((_, index) => `a${index}`);
    await (await client.dereference("0/a")).close();
    expect(await client.read("0/a")).toBe("a1 unverified");
  });

  it("a request with cache: only-if-cached fails with unavailable without a stored response, and with cacheTtlMs: 0", async () => {
    await using client = await startCachingClient((_, index) => `a${index}`);
    const failure = { code: "unavailable" };
    await expect(client.read("0/a", { cache: "only-if-cached" })).rejects.toMatchObject(failure);
    await client.read("0/a");
    const options = { cache: "only-if-cached", cacheTtlMs: 0 };
    await expect(client.read("0/a", options)).rejects.toMatchObject(failure);
    expect(client.requests).toHaveLength(1);
  });

  it("requests with different bytes have different stored responses, and the item type makes no difference", async () => {
    await using client = await startCachingClient((request, index) => `${index} ${request}`);
    for (const path of ["9/a", "9/b", "7/a%09x", "9/a%09%09+", "I/a"]) await client.read(path);
    expect(client.requests).toEqual(["/a", "/b", "/a\tx", "/a\t+"]);
  });

  it("a client with a cache sends a submitted form to the server each time", async () => {
    await using client = await startCachingClient((_, index) => `+2\r\na${index}`);
    const path = "0/a%09%09+%091%0D%0A+-1%0D%0Asecret%0D%0A.%0D%0A";
    expect(await client.read(path, { allowForms: true })).toBe("a0 verified");
    expect(await client.read(path, { allowForms: true })).toBe("a1 verified");
  });

  it("the client selects a view from the attributes in the cache", async () => {
    const attributes = "+INFO: 0a\t/a\th.example\t70\t+\r\n+VIEWS:\r\n text/plain: <1k>\r\n";
    await using client = await startCachingClient((request) =>
      request.endsWith("!") ? `+-1\r\n${attributes}.\r\n` : "+2\r\nab",
    );
    const options = { accept: "text/plain" };
    expect(await client.read("0/a%09%09+", options)).toBe("ab verified");
    expect(await client.read("0/a%09%09+", options)).toBe("ab verified");
    expect(client.requests).toEqual(["/a\t!", "/a\t+text/plain"]);
  });

  it("the policy of a request also applies to stored responses", async () => {
    await using client = await startCachingClient((_, index) => `a${index}`);
    await client.read("0/a");
    const failure = { code: expect.stringMatching(/^refused-/) as string };
    await expect(client.read("0/a", { policy: publicInternet() })).rejects.toMatchObject(failure);
  });

  it.each([-1, 1.5, "60", Infinity])("the option cacheTtlMs: %s is refused", (cacheTtlMs) => {
    expect(() => gopher({ cacheTtlMs: cacheTtlMs as number })).toThrow(
      /cacheTtlMs.*a whole number from 0 on/,
    );
  });
});
