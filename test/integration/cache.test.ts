import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anyAddress, createClient, type Policy, type Scheme } from "@anyscheme/core";
import { type CacheMode, memoryCache } from "@anyscheme/core/cache";
import { startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { file } from "@anyscheme/scheme-others/file";
import { nntp } from "@anyscheme/scheme-others/nntp";
import { startFtpTestServer, startGopherTestServer } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";

const CONTENT = "0123456789";
const FILES = { "ten.bin": CONTENT };
const MODES: readonly CacheMode[] = [
  "default",
  "no-store",
  "reload",
  "no-cache",
  "force-cache",
  "only-if-cached",
];

/**
 * The URL of a file on a test server, the client's scheme that reads the file, and the policy that allows the server.
 */
interface CachedSource extends AsyncDisposable {
  readonly url: string;
  readonly scheme: Scheme;
  readonly policy?: Policy;
}

async function startHttp(): Promise<CachedSource> {
  const head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 10\r\n\r\n";
  const server = await startScriptedServer(async (peer) => {
    for (let line = await peer.readLine(); line !== undefined; line = await peer.readLine())
      if (line === "") peer.send(`${head}${CONTENT}`);
  });
  const url = `http://127.0.0.1:${server.port}/ten.bin`;
  return { url, scheme: http(), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function startFtp(): Promise<CachedSource> {
  const server = await startFtpTestServer({ files: FILES });
  const url = `ftp://127.0.0.1:${server.port}/ten.bin`;
  return { url, scheme: ftp(), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function startGopher(): Promise<CachedSource> {
  const server = await startGopherTestServer({ files: FILES });
  const url = `gopher://127.0.0.1:${server.port}/0/ten.bin`;
  const scheme = gopher({ cacheTtlMs: 60_000 });
  const policy = anyAddress({ allowPorts: { gopher: [server.port] } });
  return { url, scheme, policy, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function createLocalFile(): Promise<CachedSource> {
  const root = await mkdtemp(join(tmpdir(), "cache-"));
  await writeFile(join(root, "ten.bin"), CONTENT);
  await utimes(join(root, "ten.bin"), 0, 0);
  const remove = (): Promise<void> => rm(root, { recursive: true });
  return { url: "file:///ten.bin", scheme: file({ root, cache: true }), [Symbol.asyncDispose]: remove };
}

describe.each<[name: string, start: () => Promise<CachedSource>, hits: readonly CacheMode[]]>([
  ["http", startHttp, ["default", "force-cache", "only-if-cached"]],
  // With ftp and file, "no-cache" reads the stored copy if the file has not changed.
  ["ftp", startFtp, ["default", "no-cache", "force-cache", "only-if-cached"]],
  ["gopher", startGopher, ["default", "force-cache", "only-if-cached"]],
  ["file", createLocalFile, ["default", "no-cache", "force-cache", "only-if-cached"]],
])("the modes of the cache with %s", (_name, start, hits) => {
  it.each(MODES)(
    "a repeated request with the mode %s reads the stored copy if the mode allows it",
    async (cache) => {
      await using source = await start();
      const traces: string[] = [];
      await using client = createClient({
        schemes: [source.scheme],
        policy: source.policy ?? anyAddress(),
        cache: memoryCache(),
        trace: ({ action, text }) => action === "cache" && traces.push(text),
      });
      await expect(client.text(source.url, { cache: "only-if-cached" })).rejects.toMatchObject({
        code: "unavailable",
        reason: "the cache has no stored response, and the request allows no other",
      });
      const first = await client.text(source.url);
      // The Gopher server adds a line end to a text.
      expect(first.trimEnd()).toBe(CONTENT);
      traces.length = 0;
      expect(await client.text(source.url, { cache })).toBe(first);
      expect(traces.some((text) => text.startsWith("hit"))).toBe(hits.includes(cache));
    },
  );
});

describe("the cache mode only-if-cached for requests that do not use the cache", () => {
  const message = (reason: string): object => ({
    code: "unavailable",
    reason: `the request allows only stored responses, and ${reason}`,
  });
  const options = { cache: "only-if-cached" } as const;

  it("the error for only-if-cached states that the client has no cache", async () => {
    await using client = createClient({ schemes: [http()] });
    const refused = client.dereference("http://h.example/", options);
    await expect(refused).rejects.toMatchObject(message("the client has no cache"));
  });

  it("the error for only-if-cached states that the scheme does not use the cache", async () => {
    await using client = createClient({ schemes: [nntp()], cache: memoryCache() });
    const refused = client.dereference("nntp://h.example/g/1", options);
    await expect(refused).rejects.toMatchObject(message("the scheme nntp does not use the cache"));
  });

  it("the error for only-if-cached states that the operation does not use the cache", async () => {
    await using client = createClient({ schemes: [http()], cache: memoryCache() });
    const refused = client.delete("http://h.example/", options);
    await expect(refused).rejects.toMatchObject(message("the operation delete does not use the cache"));
  });

  it("only-if-cached with an operation that the scheme lacks throws unsupported", async () => {
    await using client = createClient({ schemes: [gopher()], cache: memoryCache() });
    await expect(client.stat("gopher://h.example/0a", options)).rejects.toMatchObject({
      code: "unsupported",
    });
  });
});
