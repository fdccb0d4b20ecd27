import * as zlib from "node:zlib";
import type { AccessError, ClientLimits } from "@anyscheme/core";
import { startScriptedServer, watchConnections } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { urlOf, BUFFER_BYTES, failureOf, get, readHead } from "../client.ts";

const MIB = 1_048_576;

/** Some versions of Deno lack zstd. */
const zstd = (zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer }).zstdCompressSync;

/** The head of a response with this content coding. */
const encodedHead = (coding: string): string => `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n\r\n`;
const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n";

interface Flood {
  /** The bytes that are sent once. */
  readonly first: string | Uint8Array;
  /** The bytes that are sent many times after `first`. */
  readonly repeated: string | Uint8Array;
}

type Read = (url: string, limits: Partial<ClientLimits>) => Promise<unknown>;

const collect: Read = async (url, limits) => (await get(url, { limits })).bytes();
const stream: Read = async (url, limits) => {
  for await (const _piece of (await get(url, { limits })).body);
};

/**
 * Reads from a server that sends 16 MiB. Returns the failure and the number of bytes that the client read from its
 * socket.
 */
async function outcomeOf(
  { first, repeated }: Flood,
  limits: Partial<ClientLimits> = {},
  read: Read = collect,
): Promise<{ failure: AccessError; bytesTaken: number }> {
  const chunk = Buffer.alloc(MIB, typeof repeated === "string" ? Buffer.from(repeated, "latin1") : repeated);
  // A chunk ends with a complete repetition.
  const repetitions = chunk.subarray(0, MIB - (MIB % repeated.length));
  await using server = await startScriptedServer(async (peer) => {
    await readHead(peer);
    peer.send(first);
    for (let sent = 0; sent < 16; sent++) peer.send(repetitions);
    await peer.closed;
  });
  using connections = watchConnections();
  const failure = await failureOf(read(urlOf(server), limits));
  return { failure, bytesTaken: connections.countReadBytes(server.port) };
}

/** The start of a gzip member with a file name (RFC 1952 §2.3). */
const NAMED = "\x1f\x8b\x08\x08\0\0\0\0\0\x03";
const COMMENTED = "\x1f\x8b\x08\x10\0\0\0\0\0\x03";
/** An empty stored block of DEFLATE. RFC 1951 §3.2.4. */
const EMPTY_BLOCK = "\0\0\0\xff\xff";
/** A window of 64 KiB with an empty metadata block. Each further byte is an empty block. RFC 7932 §9.1, §9.2. */
const BROTLI = { first: "\x0c", repeated: "\x06" };
/** A skippable frame of Zstandard. RFC 8878 §3.1.2. */
const SKIPPABLE = "\x50\x2a\x4d\x18\0\0\0\0";

const after = (response: string, { first, repeated }: { first: string; repeated: string }): Flood => ({
  first: Buffer.from(response + first, "latin1"),
  repeated,
});

const FLOODS: readonly (readonly [name: string, flood: Flood])[] = [
  ["the name in a gzip header", after(encodedHead("gzip"), { first: NAMED, repeated: "n" })],
  ["the comment in a gzip header", after(encodedHead("gzip"), { first: COMMENTED, repeated: "c" })],
  ["empty gzip members", { first: encodedHead("gzip"), repeated: zlib.gzipSync("") }],
  ["empty gzip blocks", after(encodedHead("gzip"), { first: NAMED + "\0", repeated: EMPTY_BLOCK })],
  ["empty deflate blocks", after(encodedHead("deflate"), { first: "\x78\x9c", repeated: EMPTY_BLOCK })],
  ["empty blocks of bare deflate", after(encodedHead("deflate"), { first: "", repeated: EMPTY_BLOCK })],
  ["empty br blocks", after(encodedHead("br"), BROTLI)],
  ...(zstd
    ? ([
        ["skippable zstd frames", after(encodedHead("zstd"), { first: "", repeated: SKIPPABLE })],
        ["empty zstd frames", { first: encodedHead("zstd"), repeated: zstd(Buffer.alloc(0)) }],
      ] as const)
    : []),
  ["empty gzip members within br", after(encodedHead("gzip, br"), BROTLI)],
  [
    "chunks of empty blocks, with extensions",
    {
      first: `${CHUNKED}Content-Encoding: br\r\n\r\n1\r\n\x0c\r\n`,
      repeated: `1;x=${"y".repeat(1_000)}\r\n\x06\r\n`,
    },
  ],
  [
    "interim responses",
    { first: "", repeated: `HTTP/1.1 103 Early Hints\r\nlink: ${"x".repeat(60_000)}\r\n\r\n` },
  ],
];

describe("the limit maxBytesWithoutContent", () => {
  it.each(FLOODS)(
    "the default of maxBytesWithoutContent stops a response that contains only %s",
    async (_, flood) => {
      const limits = { maxBodyBytes: MIB, maxInterimResponses: Infinity };
      const { failure, bytesTaken } = await outcomeOf(flood, limits);
      expect(failure).toMatchObject({ code: "limit", limit: "maxBytesWithoutContent" });
      expect(bytesTaken).toBeLessThanOrEqual(MIB + 2 * BUFFER_BYTES);
    },
  );

  it.each(FLOODS)(
    "a lower maxBytesWithoutContent stops a response that contains only %s earlier",
    async (_, flood) => {
      const limits = { maxBytesWithoutContent: 100_000, maxInterimResponses: Infinity };
      const { failure, bytesTaken } = await outcomeOf(flood, limits, stream);
      expect(failure).toMatchObject({ code: "limit", limit: "maxBytesWithoutContent" });
      expect(bytesTaken).toBeLessThanOrEqual(100_000 + 2 * BUFFER_BYTES);
    },
  );

  it("the count of bytes without content restarts at 0 after each byte of content", async () => {
    const member = Buffer.concat([
      Buffer.from(NAMED + "n".repeat(60_000) + "\0", "latin1"),
      zlib.gzipSync("x").subarray(10),
    ]);
    const limits = { maxBytesWithoutContent: member.length };
    await using server = await startScriptedServer(async (peer) => {
      await readHead(peer);
      peer.send(encodedHead("gzip"));
      for (let count = 0; count < 50; count++) peer.send(member);
    });
    expect(await (await get(urlOf(server), { limits })).text()).toBe("x".repeat(50));
  });
});

describe("the limit maxEncodedRatio", () => {
  const NAMED_MEMBERS: Flood = {
    first: encodedHead("gzip"),
    repeated: Buffer.concat([
      Buffer.from(NAMED + "n".repeat(60_000) + "\0", "latin1"),
      zlib.gzipSync("x").subarray(10),
    ]),
  };
  const EXTENDED_CHUNKS: Flood = { first: `${CHUNKED}\r\n`, repeated: `1;x=${"y".repeat(60_000)}\r\nz\r\n` };

  it.each<[string, Flood, Partial<ClientLimits>, Read, maxBytesTaken: number]>([
    ["collected gzip members", NAMED_MEMBERS, { maxBodyBytes: 2 * MIB }, collect, 4 * MIB],
    ["collected chunks with long extensions", EXTENDED_CHUNKS, { maxBodyBytes: 2 * MIB }, collect, 4 * MIB],
    ["streamed gzip members", NAMED_MEMBERS, { maxStreamBytes: 2 * MIB }, stream, 4 * MIB],
    ["streamed chunks with long extensions", EXTENDED_CHUNKS, { maxStreamBytes: 2 * MIB }, stream, 4 * MIB],
    [
      "a body with a ratio of 3",
      EXTENDED_CHUNKS,
      { maxBodyBytes: 2 * MIB, maxEncodedRatio: 3 },
      collect,
      6 * MIB,
    ],
    ["a small body", EXTENDED_CHUNKS, { maxBodyBytes: 1_000 }, collect, MIB],
    [
      "a body with maxBodyBytes and maxStreamBytes",
      EXTENDED_CHUNKS,
      { maxBodyBytes: 4 * MIB, maxStreamBytes: MIB },
      collect,
      2 * MIB,
    ],
    [
      "a body without maxBytesWithoutContent",
      { first: encodedHead("gzip"), repeated: zlib.gzipSync("") },
      { maxBodyBytes: 2 * MIB, maxBytesWithoutContent: Infinity },
      collect,
      4 * MIB,
    ],
  ])("maxEncodedRatio limits the received bytes of %s", async (_, flood, limits, read, maxBytesTaken) => {
    const { failure, bytesTaken } = await outcomeOf(flood, limits, read);
    expect(failure).toMatchObject({ code: "limit", limit: "maxEncodedRatio" });
    expect(bytesTaken).toBeGreaterThan(maxBytesTaken);
    expect(bytesTaken).toBeLessThanOrEqual(maxBytesTaken + 2 * BUFFER_BYTES);
  });

  it("maxEncodedRatio allows a body of the maximum length in chunks of one byte", async () => {
    const length = 100_000;
    await using server = await startScriptedServer(async (peer) => {
      await readHead(peer);
      peer.send(`${CHUNKED}\r\n${"1\r\nx\r\n".repeat(length)}0\r\n\r\n`);
    });
    const resource = await get(urlOf(server), { limits: { maxBodyBytes: length } });
    expect(await resource.bytes()).toHaveLength(length);
  });
});
