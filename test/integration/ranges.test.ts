import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anyAddress, createClient, type Scheme } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { http } from "@anyscheme/scheme-http";
import { file } from "@anyscheme/scheme-others/file";
import { startFtpTestServer, startHttpFileTestServer } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";
import { clientOfAllSchemes } from "../fixtures/client-of-all-schemes.ts";

const CONTENT = "0123456789";
const files = { "ten.bin": CONTENT };

/** The URL of a test server's content, and the client's scheme that reads it. */
interface RangeSource extends AsyncDisposable {
  readonly url: string;
  readonly scheme: Scheme;
}

const httpSource = (server: AsyncDisposable & { readonly port: number }): RangeSource => ({
  url: `http://127.0.0.1:${server.port}/ten.bin`,
  scheme: http(),
  [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
});

const startHttpWithResponse = async (response: string): Promise<RangeSource> =>
  httpSource(
    await startScriptedServer(async (peer) => {
      while ((await peer.readLine()) !== "");
      peer.send(response);
    }),
  );

async function startFtp(): Promise<RangeSource> {
  const server = await startFtpTestServer({ files });
  const url = `ftp://127.0.0.1:${server.port}/ten.bin`;
  return { url, scheme: ftp(), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function createLocalFile(): Promise<RangeSource> {
  const folder = await mkdtemp(join(tmpdir(), "range-"));
  await writeFile(join(folder, "ten.bin"), CONTENT);
  return {
    url: "file:///ten.bin",
    scheme: file({ root: folder }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

const CHUNKED_RESPONSE = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n${CONTENT}\r\n0\r\n\r\n`;

const SOURCES: readonly (readonly [name: string, start: () => Promise<RangeSource>])[] = [
  ["http, 206 and 416", async () => httpSource(await startHttpFileTestServer({ files }))],
  ["http with a 200 response and the whole content", () => startHttpWithResponse(CHUNKED_RESPONSE)],
  ["ftp with SIZE", startFtp],
  ["file", createLocalFile],
];

async function readRange({ url, scheme }: RangeSource, start: number, end?: number): Promise<string> {
  await using client = createClient({ schemes: [scheme], policy: anyAddress() });
  const resource = await client.dereference(url, { range: { start, endExclusive: end } });
  if (resource.kind !== "content") throw new TypeError(resource.kind);
  return await resource.text();
}

describe("a range has the same meaning in every scheme", () => {
  it.each(SOURCES)("%s: a range up to and beyond the end has the bytes up to the end", async (_, start) => {
    await using source = await start();
    for (const end of [undefined, 10, 11]) expect(await readRange(source, 8, end)).toBe("89");
  });

  it.each(SOURCES)("%s: a range that begins at the end is empty", async (_, start) => {
    await using source = await start();
    for (const end of [undefined, 11]) expect(await readRange(source, 10, end)).toBe("");
  });

  it.each([
    ...SOURCES,
    [
      "http, 416 without the length",
      () => startHttpWithResponse("HTTP/1.1 416 No\r\nContent-Length: 0\r\n\r\n"),
    ] as const,
  ])("%s: a range that begins after the end fails with out-of-range", async (_, start) => {
    await using source = await start();
    for (const end of [undefined, 12])
      await expect(readRange(source, 11, end)).rejects.toMatchObject({ code: "out-of-range" });
  });
});

describe("a range does not apply to a directory", () => {
  it.each([
    ["ftp", startFtp],
    ["file", createLocalFile],
  ] as const)(
    "%s: the listing of a directory has all entries in spite of the option range",
    async (_, start) => {
      await using source = await start();
      await using client = createClient({ schemes: [source.scheme], policy: anyAddress() });
      const folder = source.url.replace(/[^/]*$/, "");
      const resource = await client.dereference(folder, { range: { start: 1, endExclusive: 2 } });
      if (resource.kind !== "directory") throw new TypeError(resource.kind);
      const names: string[] = [];
      for await (const { name } of resource) names.push(name);
      expect(names).toEqual(["ten.bin"]);
      expect(await resource.completeness).toBe("verified");
    },
  );
});

describe("a scheme without ranges refuses the option range before it connects", () => {
  it.each([
    "gopher://h.example/9a.bin",
    "gophers://h.example/9a.bin",
    "news:a@h.example",
    "nntp://h.example/a.b/1",
    "wais://h.example/d/TEXT/1",
    "prospero://h.example/f",
    "telnet://h.example/",
    "mailto:a@h.example",
  ])("the client refuses the option range for %s", async (url) => {
    const request = clientOfAllSchemes.dereference(url, { range: { start: 0 } });
    await expect(request).rejects.toMatchObject({
      code: "unsupported",
      reason: `the scheme ${url.slice(0, url.indexOf(":"))} does not support the option range`,
    });
  });
});
