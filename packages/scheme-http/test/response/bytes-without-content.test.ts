import * as zlib from "node:zlib";
import type { AccessError, ClientLimits } from "@anyscheme/core";
import { startScriptedServer, watchConnections } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import {
  createServerUrl,
  MAX_RECEIVE_BUFFER_BYTES,
  getRejection,
  getResource,
  readRequestHead,
} from "../test-client.ts";

const MIB = 1_048_576;

/** Some versions of Deno lack zstd. */
const zstd = (zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer }).zstdCompressSync;

/** Returns the head of a response with a content coding. */
const encodedHead = (coding: string): string => `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n\r\n`;
const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n";

interface Flood {
  /** The bytes that the test server sends once, at the beginning of its response. */
  readonly first: string | Uint8Array;
  /** The bytes that the server sends many times after `first`. */
  readonly repeated: string | Uint8Array;
}

type ReadBody = (url: string, limits: Partial<ClientLimits>) => Promise<unknown>;

const collectBody: ReadBody = async (url, limits) => (await getResource(url, { limits })).bytes();
const streamBody: ReadBody = async (url, limits) => {
  for await (const _piece of (await getResource(url, { limits })).body);
};

/**
 * Reads from a server that sends 16 MiB. Returns the error and the number of bytes that the client read from its
 * socket.
 */
async function readFlood(
  { first, repeated }: Flood,
  limits: Partial<ClientLimits> = {},
  read: ReadBody = collectBody,
): Promise<{ failure: AccessError; bytesTaken: number }> {
  const chunk = Buffer.alloc(MIB, typeof repeated === "string" ? Buffer.from(repeated, "latin1") : repeated);
  // Each buffer that the server sends contains only whole repetitions of `repeated`.
  const repetitions = chunk.subarray(0, MIB - (MIB % repeated.length));
  await using server = await startScriptedServer(async (peer) => {
    await readRequestHead(peer);
    peer.send(first);
    for (let sent = 0; sent < 16; sent++) peer.send(repetitions);
    await peer.closed;
  });
  using connections = watchConnections();
  const failure = await getRejection(read(createServerUrl(server), limits));
  return { failure, bytesTaken: connections.countReadBytes(server.port) };
}

/** The beginning of a gzip member whose header contains a file name (RFC 1952 §2.3). */
const GZIP_WITH_NAME = "\x1f\x8b\x08\x08\0\0\0\0\0\x03";
const GZIP_WITH_COMMENT = "\x1f\x8b\x08\x10\0\0\0\0\0\x03";
/** An empty stored block of DEFLATE. RFC 1951 §3.2.4. */
const EMPTY_DEFLATE_BLOCK = "\0\0\0\xff\xff";
/** A Brotli stream header with an empty metadata block, and bytes that are empty blocks. RFC 7932 §9.1, §9.2. */
const EMPTY_BROTLI_BLOCKS = { first: "\x0c", repeated: "\x06" };
/** A skippable frame of Zstandard. RFC 8878 §3.1.2. */
const SKIPPABLE_ZSTD_FRAME = "\x50\x2a\x4d\x18\0\0\0\0";

const appendToHead = (response: string, { first, repeated }: { first: string; repeated: string }): Flood => ({
  first: Buffer.from(response + first, "latin1"),
  repeated,
});

const FLOODS: readonly (readonly [name: string, flood: Flood])[] = [
  ["the name in a gzip header", appendToHead(encodedHead("gzip"), { first: GZIP_WITH_NAME, repeated: "n" })],
  [
    "the comment in a gzip header",
    appendToHead(encodedHead("gzip"), { first: GZIP_WITH_COMMENT, repeated: "c" }),
  ],
  ["empty gzip members", { first: encodedHead("gzip"), repeated: zlib.gzipSync("") }],
  [
    "empty gzip blocks",
    appendToHead(encodedHead("gzip"), { first: GZIP_WITH_NAME + "\0", repeated: EMPTY_DEFLATE_BLOCK }),
  ],
  [
    "empty deflate blocks",
    appendToHead(encodedHead("deflate"), { first: "\x78\x9c", repeated: EMPTY_DEFLATE_BLOCK }),
  ],
  [
    "empty blocks of bare deflate",
    appendToHead(encodedHead("deflate"), { first: "", repeated: EMPTY_DEFLATE_BLOCK }),
  ],
  ["empty br blocks", appendToHead(encodedHead("br"), EMPTY_BROTLI_BLOCKS)],
  ...(zstd
    ? ([
        [
          "skippable zstd frames",
          appendToHead(encodedHead("zstd"), { first: "", repeated: SKIPPABLE_ZSTD_FRAME }),
        ],
        ["empty zstd frames", { first: encodedHead("zstd"), repeated: zstd(Buffer.alloc(0)) }],
      ] as const)
    : []),
  ["empty gzip members within br", appendToHead(encodedHead("gzip, br"), EMPTY_BROTLI_BLOCKS)],
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

describe("the limit maxBytesWithoutContent stops a response without content", () => {
  it.each(FLOODS)(
    "the default of maxBytesWithoutContent stops a response that contains only %s",
    async (_, flood) => {
      const limits = { maxBodyBytes: MIB, maxInterimResponses: Infinity };
      const { failure, bytesTaken } = await readFlood(flood, limits);
      expect(failure).toMatchObject({ code: "limit", limit: "maxBytesWithoutContent" });
      expect(bytesTaken).toBeLessThanOrEqual(MIB + 2 * MAX_RECEIVE_BUFFER_BYTES);
    },
  );

  it.each(FLOODS)(
    "a lower maxBytesWithoutContent stops a response that contains only %s earlier",
    async (_, flood) => {
      const limits = { maxBytesWithoutContent: 100_000, maxInterimResponses: Infinity };
      const { failure, bytesTaken } = await readFlood(flood, limits, streamBody);
      expect(failure).toMatchObject({ code: "limit", limit: "maxBytesWithoutContent" });
      expect(bytesTaken).toBeLessThanOrEqual(100_000 + 2 * MAX_RECEIVE_BUFFER_BYTES);
    },
  );

  it("the count of bytes without content restarts at 0 after each byte of content", async () => {
    const member = Buffer.concat([
      Buffer.from(GZIP_WITH_NAME + "n".repeat(60_000) + "\0", "latin1"),
      zlib.gzipSync("x").subarray(10),
    ]);
    const limits = { maxBytesWithoutContent: member.length };
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send(encodedHead("gzip"));
      for (let count = 0; count < 50; count++) peer.send(member);
    });
    expect(await (await getResource(createServerUrl(server), { limits })).text()).toBe("x".repeat(50));
  });
});

describe("the limit maxEncodedRatio stops a response with too many encoded bytes", () => {
  const NAMED_MEMBERS: Flood = {
    first: encodedHead("gzip"),
    repeated: Buffer.concat([
      Buffer.from(GZIP_WITH_NAME + "n".repeat(60_000) + "\0", "latin1"),
      zlib.gzipSync("x").subarray(10),
    ]),
  };
  const EXTENDED_CHUNKS: Flood = { first: `${CHUNKED}\r\n`, repeated: `1;x=${"y".repeat(60_000)}\r\nz\r\n` };

  it.each<[string, Flood, Partial<ClientLimits>, ReadBody, maxBytesTaken: number]>([
    ["collected gzip members", NAMED_MEMBERS, { maxBodyBytes: 2 * MIB }, collectBody, 4 * MIB],
    [
      "collected chunks with long extensions",
      EXTENDED_CHUNKS,
      { maxBodyBytes: 2 * MIB },
      collectBody,
      4 * MIB,
    ],
    ["streamed gzip members", NAMED_MEMBERS, { maxStreamBytes: 2 * MIB }, streamBody, 4 * MIB],
    [
      "streamed chunks with long extensions",
      EXTENDED_CHUNKS,
      { maxStreamBytes: 2 * MIB },
      streamBody,
      4 * MIB,
    ],
    [
      "a body with a ratio of 3",
      EXTENDED_CHUNKS,
      { maxBodyBytes: 2 * MIB, maxEncodedRatio: 3 },
      collectBody,
      6 * MIB,
    ],
    ["a small body", EXTENDED_CHUNKS, { maxBodyBytes: 1_000 }, collectBody, MIB],
    [
      "a body with maxBodyBytes and maxStreamBytes",
      EXTENDED_CHUNKS,
      { maxBodyBytes: 4 * MIB, maxStreamBytes: MIB },
      collectBody,
      2 * MIB,
    ],
    [
      "a body without maxBytesWithoutContent",
      { first: encodedHead("gzip"), repeated: zlib.gzipSync("") },
      { maxBodyBytes: 2 * MIB, maxBytesWithoutContent: Infinity },
      collectBody,
      4 * MIB,
    ],
  ])("maxEncodedRatio limits the received bytes of %s", async (_, flood, limits, read, maxBytesTaken) => {
    const { failure, bytesTaken } = await readFlood(flood, limits, read);
    expect(failure).toMatchObject({ code: "limit", limit: "maxEncodedRatio" });
    expect(bytesTaken).toBeGreaterThan(maxBytesTaken);
    expect(bytesTaken).toBeLessThanOrEqual(maxBytesTaken + 2 * MAX_RECEIVE_BUFFER_BYTES);
  });

  it("maxEncodedRatio allows a body of the maximum length in chunks of one byte", async () => {
    const length = 100_000;
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send(`${CHUNKED}\r\n${"1\r\nx\r\n".repeat(length)}0\r\n\r\n`);
    });
    const resource = await getResource(createServerUrl(server), { limits: { maxBodyBytes: length } });
    expect(await resource.bytes()).toHaveLength(length);
  });
});
