import * as zlib from "node:zlib";
import type { AccessError, Limits } from "@anyscheme/core";
import { startScriptedServer, watchConnections } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { at, BUFFER_BYTES, failureOf, get, head } from "../client.ts";

const MIB = 1_048_576;

/** zstd is there from Node 22.15 on. */
const zstd = (zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer }).zstdCompressSync;

/** The head of a response whose content is coded. */
const coded = (coding: string): string => `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n\r\n`;
const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n";

interface Flood {
  /** What is sent once. */
  readonly start: string | Uint8Array;
  /** What is sent again and again behind it. */
  readonly again: string | Uint8Array;
}

type Read = (url: string, limits: Partial<Limits>) => Promise<unknown>;

const collect: Read = async (url, limits) => (await get(url, { limits })).bytes();
const stream: Read = async (url, limits) => {
  for await (const _piece of (await get(url, { limits })).body);
};

/** Reads from a server that sends 16 MiB. Returns the failure, and how many bytes the client took from its socket. */
async function outcomeOf(
  { start, again }: Flood,
  limits: Partial<Limits> = {},
  read: Read = collect,
): Promise<{ failure: AccessError; taken: number }> {
  const piece = Buffer.alloc(MIB, typeof again === "string" ? Buffer.from(again, "latin1") : again);
  // A piece that repeats has a whole number of them.
  const whole = piece.subarray(0, MIB - (MIB % again.length));
  await using server = await startScriptedServer(async (peer) => {
    await head(peer);
    peer.send(start);
    for (let sent = 0; sent < 16; sent++) peer.send(whole);
    await peer.closed;
  });
  using dialled = watchConnections();
  const failure = await failureOf(read(at(server), limits));
  return { failure, taken: dialled.bytesTaken(server.port) };
}

/** The head of a gzip member that has a name (RFC 1952 §2.3), and a method and flags that say so. */
const NAMED = "\x1f\x8b\x08\x08\0\0\0\0\0\x03";
const COMMENTED = "\x1f\x8b\x08\x10\0\0\0\0\0\x03";
/** A block of DEFLATE that is stored and empty. RFC 1951 §3.2.4. */
const EMPTY_BLOCK = "\0\0\0\xff\xff";
/** A window of 64 KiB and an empty block of metadata; then another such block in each byte. RFC 7932 §9.1, §9.2. */
const BROTLI = { start: "\x0c", again: "\x06" };
/** A frame of Zstandard that is skipped. RFC 8878 §3.1.2. */
const SKIPPABLE = "\x50\x2a\x4d\x18\0\0\0\0";

const after = (response: string, { start, again }: { start: string; again: string }): Flood => ({
  start: Buffer.from(response + start, "latin1"),
  again,
});

const FLOODS: readonly (readonly [name: string, flood: Flood])[] = [
  ["the name in a gzip header", after(coded("gzip"), { start: NAMED, again: "n" })],
  ["the comment in a gzip header", after(coded("gzip"), { start: COMMENTED, again: "c" })],
  ["empty gzip members", { start: coded("gzip"), again: zlib.gzipSync("") }],
  ["empty gzip blocks", after(coded("gzip"), { start: NAMED + "\0", again: EMPTY_BLOCK })],
  ["empty deflate blocks", after(coded("deflate"), { start: "\x78\x9c", again: EMPTY_BLOCK })],
  ["empty blocks of bare deflate", after(coded("deflate"), { start: "", again: EMPTY_BLOCK })],
  ["empty br blocks", after(coded("br"), BROTLI)],
  ...(zstd
    ? ([
        ["skippable zstd frames", after(coded("zstd"), { start: "", again: SKIPPABLE })],
        ["empty zstd frames", { start: coded("zstd"), again: zstd(Buffer.alloc(0)) }],
      ] as const)
    : []),
  ["empty gzip members within br", after(coded("gzip, br"), BROTLI)],
  [
    "chunks of empty blocks, with extensions",
    {
      start: `${CHUNKED}Content-Encoding: br\r\n\r\n1\r\n\x0c\r\n`,
      again: `1;x=${"y".repeat(1_000)}\r\n\x06\r\n`,
    },
  ],
  [
    "interim responses",
    { start: "", again: `HTTP/1.1 103 Early Hints\r\nlink: ${"x".repeat(60_000)}\r\n\r\n` },
  ],
];

describe("received bytes without content", () => {
  it.each(FLOODS)("%s: the limit stops them", async (_, flood) => {
    const limits = { maxBodyBytes: MIB, maxInterimResponses: Infinity };
    const { failure, taken } = await outcomeOf(flood, limits);
    expect(failure).toMatchObject({ code: "limit", limit: "maxBytesWithoutContent" });
    expect(taken).toBeLessThanOrEqual(MIB + 2 * BUFFER_BYTES);
  });

  it.each(FLOODS)("%s: a lower limit stops them earlier", async (_, flood) => {
    const limits = { maxBytesWithoutContent: 100_000, maxInterimResponses: Infinity };
    const { failure, taken } = await outcomeOf(flood, limits, stream);
    expect(failure).toMatchObject({ code: "limit", limit: "maxBytesWithoutContent" });
    expect(taken).toBeLessThanOrEqual(100_000 + 2 * BUFFER_BYTES);
  });

  it("are counted anew after content", async () => {
    const member = Buffer.concat([
      Buffer.from(NAMED + "n".repeat(60_000) + "\0", "latin1"),
      zlib.gzipSync("x").subarray(10),
    ]);
    const limits = { maxBytesWithoutContent: member.length };
    await using server = await startScriptedServer(async (peer) => {
      await head(peer);
      peer.send(coded("gzip"));
      for (let count = 0; count < 50; count++) peer.send(member);
    });
    expect(await (await get(at(server), { limits })).text()).toBe("x".repeat(50));
  });
});

describe("bytes that yield little content", () => {
  const NAMED_MEMBERS: Flood = {
    start: coded("gzip"),
    again: Buffer.concat([
      Buffer.from(NAMED + "n".repeat(60_000) + "\0", "latin1"),
      zlib.gzipSync("x").subarray(10),
    ]),
  };
  const EXTENDED_CHUNKS: Flood = { start: `${CHUNKED}\r\n`, again: `1;x=${"y".repeat(60_000)}\r\nz\r\n` };

  it.each<[string, Flood, Partial<Limits>, Read, most: number]>([
    ["gzip members, collected", NAMED_MEMBERS, { maxBodyBytes: 2 * MIB }, collect, 4 * MIB],
    ["chunks, collected", EXTENDED_CHUNKS, { maxBodyBytes: 2 * MIB }, collect, 4 * MIB],
    ["gzip members, streamed", NAMED_MEMBERS, { maxStreamBytes: 2 * MIB }, stream, 4 * MIB],
    ["chunks, streamed", EXTENDED_CHUNKS, { maxStreamBytes: 2 * MIB }, stream, 4 * MIB],
    ["another ratio", EXTENDED_CHUNKS, { maxBodyBytes: 2 * MIB, maxEncodedRatio: 3 }, collect, 6 * MIB],
    ["a small body", EXTENDED_CHUNKS, { maxBodyBytes: 1_000 }, collect, MIB],
    ["both limits", EXTENDED_CHUNKS, { maxBodyBytes: 4 * MIB, maxStreamBytes: MIB }, collect, 2 * MIB],
    [
      "without the other limit",
      { start: coded("gzip"), again: zlib.gzipSync("") },
      { maxBodyBytes: 2 * MIB, maxBytesWithoutContent: Infinity },
      collect,
      4 * MIB,
    ],
  ])("%s", async (_, flood, limits, read, most) => {
    const { failure, taken } = await outcomeOf(flood, limits, read);
    expect(failure).toMatchObject({ code: "limit", limit: "maxEncodedRatio" });
    expect(taken).toBeGreaterThan(most);
    expect(taken).toBeLessThanOrEqual(most + 2 * BUFFER_BYTES);
  });

  it("a body of the maximum length in chunks of one byte is allowed", async () => {
    const length = 100_000;
    await using server = await startScriptedServer(async (peer) => {
      await head(peer);
      peer.send(`${CHUNKED}\r\n${"1\r\nx\r\n".repeat(length)}0\r\n\r\n`);
    });
    const resource = await get(at(server), { limits: { maxBodyBytes: length } });
    expect(await resource.bytes()).toHaveLength(length);
  });
});
