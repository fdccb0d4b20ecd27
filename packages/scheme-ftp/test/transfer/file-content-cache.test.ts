import { anyAddress, type Client, createClient, publicInternet } from "@anyscheme/core";
import { memoryCache } from "@anyscheme/core/cache";
import { ftp } from "@anyscheme/scheme-ftp";
import { startFtpTestServer } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";

const BYTES = "GIF89a and so on";

async function countTransfers(
  urls: (port: number) => readonly string[],
  options: { cache?: "reload" | "no-store" } = {},
): Promise<{ bodies: string[]; transfers: number; traces: string[] }> {
  await using server = await startFtpTestServer({ files: { "a.gif": BYTES } });
  const traces: string[] = [];
  await using client = createClient({
    schemes: [ftp()],
    policy: anyAddress(),
    cache: memoryCache(),
    trace: ({ action, text }) => action === "cache" && traces.push(text),
  });
  const bodies: string[] = [];
  for (const url of urls(server.port)) bodies.push(await client.text(url as `ftp://${string}`, options));
  return { bodies, transfers: server.receivedLines.filter((line) => line.includes("RETR")).length, traces };
}

const twice = (port: number): string[] => Array<string>(2).fill(`ftp://127.0.0.1:${port}/a.gif`);

describe("the cache of FTP files", () => {
  it("a file with the same size and time is not transferred again", async () => {
    const { bodies, transfers, traces } = await countTransfers(twice);
    expect(bodies).toEqual([BYTES, BYTES]);
    expect(transfers).toBe(1);
    expect(traces).toEqual(["miss", `stored, ${BYTES.length} bytes`, "hit, the file has not changed"]);
  });

  it.each(["reload", "no-store"] as const)(
    "the client transfers the file again with the cache mode %s",
    async (cache) => {
      expect(await countTransfers(twice, { cache })).toMatchObject({ bodies: [BYTES, BYTES], transfers: 2 });
    },
  );

  it("a request with another transfer type is not answered from the cache", async () => {
    const urls = (port: number): string[] =>
      ["i", "a"].map((type) => `ftp://127.0.0.1:${port}/a.gif;type=${type}`);
    expect(await countTransfers(urls)).toMatchObject({ transfers: 2 });
  });

  it("a file that was received without TLS is not used by a client that requests TLS", async () => {
    await using server = await startFtpTestServer({ files: { "a.gif": BYTES } });
    const cache = memoryCache();
    const url = `ftp://127.0.0.1:${server.port}/a.gif`;
    for (const tls of [undefined, "opportunistic", "opportunistic", undefined] as const) {
      await using client = createClient({ schemes: [ftp({ tls })], policy: anyAddress(), cache });
      expect(await client.text(url)).toBe(BYTES);
    }
    expect(server.receivedLines.filter((line) => line.includes("RETR"))).toHaveLength(2);
  });

  it("a client does not use a file that was stored with another cwdStrategy", async () => {
    await using server = await startFtpTestServer({ files: { "a.gif": BYTES } });
    const cache = memoryCache();
    const url = `ftp://127.0.0.1:${server.port}/a.gif`;
    for (const cwdStrategy of ["multicwd", "absolute", "absolute", undefined] as const) {
      await using client = createClient({ schemes: [ftp({ cwdStrategy })], policy: anyAddress(), cache });
      expect(await client.text(url)).toBe(BYTES);
    }
    expect(server.receivedLines.filter((line) => line.includes("RETR"))).toHaveLength(2);
  });

  it.each([
    [false, "anonymous", 1],
    [true, "anonymous", 1],
    [false, "ada:pw@", 1],
    [true, "ada:pw@", 2],
  ] as const)(
    "the number of transfers with a shared cache (%s) and the login %s is %i",
    async (shared, login, transfers) => {
      await using server = await startFtpTestServer({ files: { "a.gif": BYTES }, users: { ada: "pw" } });
      const url = `ftp://${login === "anonymous" ? "" : login}127.0.0.1:${server.port}/a.gif`;
      const cache = memoryCache({ shared });
      await using client = createClient({ schemes: [ftp()], policy: anyAddress(), cache });
      for (let request = 0; request < 2; request++) expect(await client.text(url)).toBe(BYTES);
      expect(server.receivedLines.filter((line) => line.includes("RETR"))).toHaveLength(transfers);
    },
  );

  it.each([
    [false, 1],
    [true, 2],
  ])(
    "the number of transfers with a shared cache (%s) and a password from the option credentials is %i",
    async (shared, transfers) => {
      await using server = await startFtpTestServer({ files: { "a.gif": BYTES }, users: { ada: "pw" } });
      const cache = memoryCache({ shared });
      const credentials = (): { user: string; password: string } => ({ user: "ada", password: "pw" });
      await using client = createClient({ schemes: [ftp()], policy: anyAddress(), cache, credentials });
      const url = `ftp://ada@127.0.0.1:${server.port}/a.gif`;
      for (let request = 0; request < 2; request++) expect(await client.text(url)).toBe(BYTES);
      expect(server.receivedLines.filter((line) => line.includes("RETR"))).toHaveLength(transfers);
    },
  );

  it("the plan of a client with a cache requests size and time", () => {
    const options = { schemes: [ftp()] };
    const commandsOf = (client: ReturnType<typeof createClient>): unknown[] =>
      client.plan("ftp://h.example/a.gif").steps.map(({ command }) => command);
    expect(commandsOf(createClient({ ...options, cache: memoryCache() }))).toContain("MDTM");
    expect(commandsOf(createClient(options))).not.toContain("MDTM");
  });
});

describe("an FTP request that needs no server", () => {
  const modified = new Date("2026-01-01T00:00:00Z");
  const UNAVAILABLE = {
    code: "unavailable",
    reason: "the cache has no stored response, and the request allows no other",
  };

  /** Stores a file, stops the server, and returns a client with the cache. */
  async function storeAndStop(url = "a.gif"): Promise<{ client: Client; url: string; traces: string[] }> {
    await using server = await startFtpTestServer({ files: { "a.gif": BYTES, "a.txt": "text" } });
    const traces: string[] = [];
    const client = createClient({
      schemes: [ftp()],
      policy: anyAddress(),
      cache: memoryCache(),
      trace: ({ action, text }) => action === "cache" && traces.push(text),
    });
    const href = `ftp://127.0.0.1:${server.port}/${url}`;
    const resource = await client.dereference(href);
    if (resource.kind === "content") await resource.bytes();
    await resource.close();
    traces.length = 0;
    return { client, url: href, traces };
  }

  it.each(["only-if-cached", "force-cache"] as const)("cache: %s returns the stored file", async (cache) => {
    const { client, url, traces } = await storeAndStop();
    const resource = await client.dereference(url, { cache });
    expect(resource).toMatchObject({ size: BYTES.length, modified, mediaType: "image/gif" });
    expect(resource.kind === "content" && (await resource.text())).toBe(BYTES);
    expect(traces).toEqual(["hit, the version of the file is not checked"]);
    await client.close();
  });

  it.each(["only-if-cached", "force-cache"] as const)(
    "stat with cache: %s returns the size of the cached file after the server has stopped",
    async (cache) => {
      const { client, url } = await storeAndStop();
      expect(await client.stat(url, { cache })).toMatchObject({
        kind: "content",
        size: BYTES.length,
        modified,
        mediaType: "image/gif",
      });
      await client.close();
    },
  );

  it("only-if-cached returns not-modified for a stored file that is not newer than ifModifiedSince", async () => {
    const { client, url } = await storeAndStop();
    const options = { cache: "only-if-cached", ifModifiedSince: modified } as const;
    expect(await client.dereference(url, options)).toMatchObject({ kind: "not-modified", modified });
    await client.close();
  });

  it.each([
    ["a text file", "a.txt", {}],
    ["a directory", "", {}],
    ["a part of a file", "a.gif", { range: { start: 1 } }],
  ])("only-if-cached throws unavailable for %s", async (_title, path, options) => {
    const { client, url } = await storeAndStop(path);
    const request = { ...options, cache: "only-if-cached" } as const;
    await expect(client.dereference(url, request)).rejects.toMatchObject(UNAVAILABLE);
    if (path !== "a.gif") await expect(client.stat(url, request)).rejects.toMatchObject(UNAVAILABLE);
    await client.close();
  });

  it("the client does not return a stored file whose server the policy refuses", async () => {
    const { client, url } = await storeAndStop();
    const options = { cache: "only-if-cached", policy: publicInternet() } as const;
    await expect(client.text(url, options)).rejects.toMatchObject(UNAVAILABLE);
    await expect(client.stat(url, options)).rejects.toMatchObject(UNAVAILABLE);
    await client.close();
  });

  it("a request with another login does not find the stored file", async () => {
    const { client, url } = await storeAndStop();
    const options = { cache: "only-if-cached" } as const;
    const other = url.replace("://", "://ada:pw@");
    await expect(client.text(other, options)).rejects.toMatchObject(UNAVAILABLE);
    await client.close();
  });
});
