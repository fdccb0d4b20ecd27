import * as zlib from "node:zlib";
import type { AccessError, ClientLimits } from "@anyscheme/core";
import { startScriptedServer, watchClientSocketReads } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import {
  createServerUrl,
  MAX_SOCKET_RECEIVE_BUFFER_BYTES,
  getRejectedError,
  getWithSharedTestClient,
  readRequestHead,
} from "../test-client.ts";

const BYTES_PER_MIB = 1_048_576;

/** Some versions of Deno lack zstd. */
const zstdCompress = (zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer }).zstdCompressSync;

/** Returns the head of a response with a content coding. */
const formatEncodedResponseHead = (coding: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n\r\n`;
const CHUNKED_RESPONSE_HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n";

interface ResponseFlood {
  /** The bytes that the test server sends once, at the beginning of its response. */
  readonly firstBytes: string | Uint8Array;
  /** The bytes that the server sends many times after `firstBytes`. */
  readonly repeatedBytes: string | Uint8Array;
}

type ReadResponseBody = (url: string, limits: Partial<ClientLimits>) => Promise<unknown>;

const collectBody: ReadResponseBody = async (url, limits) =>
  (await getWithSharedTestClient(url, { limits })).bytes();
const streamBody: ReadResponseBody = async (url, limits) => {
  for await (const _piece of (await getWithSharedTestClient(url, { limits })).body);
};

/**
 * Reads from a server that sends 16 MiB. Returns the error and the number of bytes that the client read from its
 * socket.
 */
async function readResponseFlood(
  { firstBytes, repeatedBytes }: ResponseFlood,
  limits: Partial<ClientLimits> = {},
  read: ReadResponseBody = collectBody,
): Promise<{ failure: AccessError; bytesTaken: number }> {
  const chunk = Buffer.alloc(
    BYTES_PER_MIB,
    typeof repeatedBytes === "string" ? Buffer.from(repeatedBytes, "latin1") : repeatedBytes,
  );
  // Each buffer that the server sends contains only whole repetitions of `repeatedBytes`.
  const repetitions = chunk.subarray(0, BYTES_PER_MIB - (BYTES_PER_MIB % repeatedBytes.length));
  await using server = await startScriptedServer(async (peer) => {
    await readRequestHead(peer);
    peer.send(firstBytes);
    for (let sent = 0; sent < 16; sent++) peer.send(repetitions);
    await peer.closed;
  });
  using connections = watchClientSocketReads();
  const failure = await getRejectedError(read(createServerUrl(server), limits));
  return { failure, bytesTaken: connections.countBytesReadByClient(server.port) };
}

/** The beginning of a gzip member whose header contains a file name (RFC 1952 §2.3). */
const GZIP_WITH_NAME = "\x1f\x8b\x08\x08\0\0\0\0\0\x03";
const GZIP_WITH_COMMENT = "\x1f\x8b\x08\x10\0\0\0\0\0\x03";
/** An empty stored block of DEFLATE. RFC 1951 §3.2.4. */
const EMPTY_DEFLATE_BLOCK = "\0\0\0\xff\xff";
/** A Brotli stream header with an empty metadata block, and bytes that are empty blocks. RFC 7932 §9.1, §9.2. */
const EMPTY_BROTLI_BLOCKS = { firstBytes: "\x0c", repeatedBytes: "\x06" };
/** A skippable frame of Zstandard. RFC 8878 §3.1.2. */
const SKIPPABLE_ZSTD_FRAME = "\x50\x2a\x4d\x18\0\0\0\0";

const createFloodAfterHead = (
  response: string,
  { firstBytes, repeatedBytes }: { firstBytes: string; repeatedBytes: string },
): ResponseFlood => ({
  firstBytes: Buffer.from(response + firstBytes, "latin1"),
  repeatedBytes,
});

const RESPONSE_FLOODS: readonly (readonly [name: string, flood: ResponseFlood])[] = [
  [
    "an endless name in a gzip header",
    createFloodAfterHead(formatEncodedResponseHead("gzip"), {
      firstBytes: GZIP_WITH_NAME,
      repeatedBytes: "n",
    }),
  ],
  [
    "an endless comment in a gzip header",
    createFloodAfterHead(formatEncodedResponseHead("gzip"), {
      firstBytes: GZIP_WITH_COMMENT,
      repeatedBytes: "c",
    }),
  ],
  ["empty gzip members", { firstBytes: formatEncodedResponseHead("gzip"), repeatedBytes: zlib.gzipSync("") }],
  [
    "empty gzip blocks",
    createFloodAfterHead(formatEncodedResponseHead("gzip"), {
      firstBytes: GZIP_WITH_NAME + "\0",
      repeatedBytes: EMPTY_DEFLATE_BLOCK,
    }),
  ],
  [
    "empty deflate blocks",
    createFloodAfterHead(formatEncodedResponseHead("deflate"), {
      firstBytes: "\x78\x9c",
      repeatedBytes: EMPTY_DEFLATE_BLOCK,
    }),
  ],
  [
    "empty blocks of raw deflate data",
    createFloodAfterHead(formatEncodedResponseHead("deflate"), {
      firstBytes: "",
      repeatedBytes: EMPTY_DEFLATE_BLOCK,
    }),
  ],
  ["empty br blocks", createFloodAfterHead(formatEncodedResponseHead("br"), EMPTY_BROTLI_BLOCKS)],
  ...(zstdCompress
    ? ([
        [
          "skippable zstd frames",
          createFloodAfterHead(formatEncodedResponseHead("zstd"), {
            firstBytes: "",
            repeatedBytes: SKIPPABLE_ZSTD_FRAME,
          }),
        ],
        [
          "empty zstd frames",
          { firstBytes: formatEncodedResponseHead("zstd"), repeatedBytes: zstdCompress(Buffer.alloc(0)) },
        ],
      ] as const)
    : []),
  [
    "empty gzip members encoded with br",
    createFloodAfterHead(formatEncodedResponseHead("gzip, br"), EMPTY_BROTLI_BLOCKS),
  ],
  [
    "chunks with long extensions and empty br blocks",
    {
      firstBytes: `${CHUNKED_RESPONSE_HEAD}Content-Encoding: br\r\n\r\n1\r\n\x0c\r\n`,
      repeatedBytes: `1;x=${"y".repeat(1_000)}\r\n\x06\r\n`,
    },
  ],
  [
    "interim responses",
    { firstBytes: "", repeatedBytes: `HTTP/1.1 103 Early Hints\r\nlink: ${"x".repeat(60_000)}\r\n\r\n` },
  ],
];

describe("the limit maxBytesWithoutContent stops a response without content", () => {
  it.each(RESPONSE_FLOODS)(
    "the default of maxBytesWithoutContent stops a response that contains only %s",
    async (_, flood) => {
      const limits = { maxBodyBytes: BYTES_PER_MIB, maxInterimResponses: Infinity };
      const { failure, bytesTaken } = await readResponseFlood(flood, limits);
      expect(failure).toMatchObject({ code: "limit", limit: "maxBytesWithoutContent" });
      expect(bytesTaken).toBeLessThanOrEqual(BYTES_PER_MIB + 2 * MAX_SOCKET_RECEIVE_BUFFER_BYTES);
    },
  );

  it.each(RESPONSE_FLOODS)(
    "a lower maxBytesWithoutContent stops a response that contains only %s earlier",
    async (_, flood) => {
      const limits = { maxBytesWithoutContent: 100_000, maxInterimResponses: Infinity };
      const { failure, bytesTaken } = await readResponseFlood(flood, limits, streamBody);
      expect(failure).toMatchObject({ code: "limit", limit: "maxBytesWithoutContent" });
      expect(bytesTaken).toBeLessThanOrEqual(100_000 + 2 * MAX_SOCKET_RECEIVE_BUFFER_BYTES);
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
      peer.send(formatEncodedResponseHead("gzip"));
      for (let count = 0; count < 50; count++) peer.send(member);
    });
    expect(await (await getWithSharedTestClient(createServerUrl(server), { limits })).text()).toBe(
      "x".repeat(50),
    );
  });
});

describe("the limit maxEncodedRatio stops a response with too many encoded bytes", () => {
  const NAMED_MEMBERS: ResponseFlood = {
    firstBytes: formatEncodedResponseHead("gzip"),
    repeatedBytes: Buffer.concat([
      Buffer.from(GZIP_WITH_NAME + "n".repeat(60_000) + "\0", "latin1"),
      zlib.gzipSync("x").subarray(10),
    ]),
  };
  const EXTENDED_CHUNKS: ResponseFlood = {
    firstBytes: `${CHUNKED_RESPONSE_HEAD}\r\n`,
    repeatedBytes: `1;x=${"y".repeat(60_000)}\r\nz\r\n`,
  };

  it.each<[string, ResponseFlood, Partial<ClientLimits>, ReadResponseBody, maxBytesTaken: number]>([
    [
      "gzip members that the client collects in memory",
      NAMED_MEMBERS,
      { maxBodyBytes: 2 * BYTES_PER_MIB },
      collectBody,
      4 * BYTES_PER_MIB,
    ],
    [
      "chunks with long extensions that the client collects in memory",
      EXTENDED_CHUNKS,
      { maxBodyBytes: 2 * BYTES_PER_MIB },
      collectBody,
      4 * BYTES_PER_MIB,
    ],
    [
      "gzip members that the caller streams",
      NAMED_MEMBERS,
      { maxStreamBytes: 2 * BYTES_PER_MIB },
      streamBody,
      4 * BYTES_PER_MIB,
    ],
    [
      "chunks with long extensions that the caller streams",
      EXTENDED_CHUNKS,
      { maxStreamBytes: 2 * BYTES_PER_MIB },
      streamBody,
      4 * BYTES_PER_MIB,
    ],
    [
      "a body with a maxEncodedRatio of 3",
      EXTENDED_CHUNKS,
      { maxBodyBytes: 2 * BYTES_PER_MIB, maxEncodedRatio: 3 },
      collectBody,
      6 * BYTES_PER_MIB,
    ],
    [
      "a body with a small maxBodyBytes",
      EXTENDED_CHUNKS,
      { maxBodyBytes: 1_000 },
      collectBody,
      BYTES_PER_MIB,
    ],
    [
      "a body with maxBodyBytes and maxStreamBytes",
      EXTENDED_CHUNKS,
      { maxBodyBytes: 4 * BYTES_PER_MIB, maxStreamBytes: BYTES_PER_MIB },
      collectBody,
      2 * BYTES_PER_MIB,
    ],
    [
      "a body without maxBytesWithoutContent",
      { firstBytes: formatEncodedResponseHead("gzip"), repeatedBytes: zlib.gzipSync("") },
      { maxBodyBytes: 2 * BYTES_PER_MIB, maxBytesWithoutContent: Infinity },
      collectBody,
      4 * BYTES_PER_MIB,
    ],
  ])("maxEncodedRatio limits the received bytes of %s", async (_, flood, limits, read, maxBytesTaken) => {
    const { failure, bytesTaken } = await readResponseFlood(flood, limits, read);
    expect(failure).toMatchObject({ code: "limit", limit: "maxEncodedRatio" });
    expect(bytesTaken).toBeGreaterThan(maxBytesTaken);
    expect(bytesTaken).toBeLessThanOrEqual(maxBytesTaken + 2 * MAX_SOCKET_RECEIVE_BUFFER_BYTES);
  });

  it("maxEncodedRatio allows a body of the maximum length in chunks of one byte", async () => {
    const length = 100_000;
    await using server = await startScriptedServer(async (peer) => {
      await readRequestHead(peer);
      peer.send(`${CHUNKED_RESPONSE_HEAD}\r\n${"1\r\nx\r\n".repeat(length)}0\r\n\r\n`);
    });
    const resource = await getWithSharedTestClient(createServerUrl(server), {
      limits: { maxBodyBytes: length },
    });
    expect(await resource.bytes()).toHaveLength(length);
  });
});
