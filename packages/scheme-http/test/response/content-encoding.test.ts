import * as zlib from "node:zlib";
import { startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { at, failureOf, get, head, type GetOptions } from "../client.ts";

const TEXT = "The quick brown fox. ".repeat(20_000);
const zstd = (zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer }).zstdCompressSync;

type Code = (bytes: Uint8Array) => Buffer;
const CODINGS: readonly (readonly [name: string, code: Code])[] = [
  ["gzip", zlib.gzipSync],
  ["x-gzip", zlib.gzipSync],
  ["GZIP", zlib.gzipSync],
  ["deflate", zlib.deflateSync],
  ["deflate", zlib.deflateRawSync],
  ["br", zlib.brotliCompressSync],
  ...(zstd ? [["zstd", zstd] as const] : []),
];

/** Serves coded bytes, in pieces of this size. */
async function coded<T>(
  coding: string,
  bytes: Uint8Array,
  use: (url: string) => Promise<T>,
  pieceBytes = Infinity,
  fields = "",
): Promise<T> {
  await using server = await startScriptedServer(async (peer) => {
    await head(peer);
    peer.send(
      `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n${fields}Content-Length: ${bytes.length}\r\n\r\n`,
    );
    for (let start = 0; start < bytes.length; start += pieceBytes)
      peer.send(bytes.subarray(start, start + pieceBytes));
    await peer.closed;
  });
  return await use(at(server));
}

const text = async (url: string, options?: GetOptions): Promise<string> => (await get(url, options)).text();

describe("an encoded body", () => {
  it.each(CODINGS)("%s is decoded from chunks of any size", async (name, code) => {
    const bytes = code(Buffer.from(TEXT));
    for (const pieceBytes of [Infinity, 1000, 97]) {
      expect((await coded(name, bytes, text, pieceBytes)) === TEXT).toBe(true);
    }
    const small = code(Buffer.from("small"));
    expect(await coded(name, small, text, 1)).toBe("small");
  });

  it("with two codings is decoded twice, in one header or in two", async () => {
    const bytes = zlib.brotliCompressSync(zlib.gzipSync(TEXT));
    expect((await coded("gzip, br", bytes, text)) === TEXT).toBe(true);
    expect((await coded("gzip\r\nContent-Encoding: br", bytes, text)) === TEXT).toBe(true);
    expect((await coded("identity, gzip, , br", bytes, text)) === TEXT).toBe(true);
  });

  it.each(["identity", "none", "Identity, None", ""])("%j is no coding", async (name) => {
    await coded(name, Buffer.from("plain"), async (url) => {
      const resource = await get(url);
      expect(resource.size).toBe(5);
      expect(await resource.text()).toBe("plain");
    });
  });

  it("is returned as sent with decompress: false", async () => {
    const bytes = zlib.gzipSync(TEXT);
    const raw = await coded("gzip", bytes, async (url) => (await get(url, { decompress: false })).bytes());
    expect(Buffer.from(raw)).toEqual(bytes);
    const options = { decompress: false, headers: { "accept-encoding": "x-my-own" } };
    await coded("x-my-own", Buffer.from("abc"), async (url) => expect(await text(url, options)).toBe("abc"));
  });

  it("has no size, and is decoded only when the caller reads it", async () => {
    await coded("gzip", zlib.gzipSync(TEXT), async (url) => {
      const resource = await get(url);
      expect(resource.size).toBeUndefined();
      const reader = resource.body.getReader();
      expect((await reader.read()).value?.length).toBeLessThanOrEqual(65_536);
      await reader.cancel();
      expect(await failureOf(resource.completeness)).toMatchObject({ code: "aborted" });
    });
  });

  it("without bytes is empty", async () => {
    for (const [name] of CODINGS) expect(await coded(name, Buffer.alloc(0), text)).toBe("");
  });

  it.each(CODINGS.filter(([name]) => /gzip|zstd/i.test(name)))(
    "%s with several members or frames is decoded to its end from chunks of any size",
    async (name, code) => {
      const words = ["one ", "", "two ", "three"];
      const bytes = Buffer.concat(words.map((word) => code(Buffer.from(word))));
      for (const pieceBytes of [Infinity, 1, 7])
        expect(await coded(name, bytes, text, pieceBytes)).toBe("one two three");
    },
  );

  it.each(CODINGS)("the connection of %s is reused", async (name, code) => {
    const bytes = code(Buffer.from("x"));
    await using server = await startScriptedServer(async (peer) => {
      for (let lines = await head(peer); lines.length > 0; lines = await head(peer)) {
        peer.send(`HTTP/1.1 200 OK\r\nContent-Encoding: ${name}\r\nTransfer-Encoding: chunked\r\n\r\n`);
        peer.send(`${bytes.length.toString(16)}\r\n`);
        peer.send(bytes);
        peer.send("\r\n0\r\n\r\n");
      }
    });
    for (let count = 0; count < 2; count++) expect(await text(at(server))).toBe("x");
    expect(server.connections).toHaveLength(1);
  });
});

describe("a refused encoded body", () => {
  it.each(CODINGS)("%s cut anywhere is incomplete", async (name, code) => {
    const bytes = code(Buffer.from("some text, some more text and some text"));
    for (let length = 1; length < bytes.length; length++) {
      const failure = await coded(name, bytes.subarray(0, length), (url) => failureOf(text(url)));
      expect(failure).toMatchObject({
        code: "incomplete",
        reason: "the compressed body ended before it was complete",
      });
    }
  });

  it.each(
    CODINGS.flatMap(([name, code]) =>
      ["\x01\x02", "garbage", "\0\0\0\0\0\0\0\0\0"].map((more) => [name, more, code] as const),
    ),
  )("%s followed by %j is a protocol error in chunks of any size", async (name, more, code) => {
    const bytes = code(Buffer.from("some text"));
    const followed = Buffer.concat([bytes, Buffer.from(more, "latin1")]);
    for (const pieceBytes of [Infinity, bytes.length, 1]) {
      const failure = await coded(name, followed, (url) => failureOf(text(url)), pieceBytes);
      expect(failure).toMatchObject({ code: "protocol" });
    }
  });

  it.each(CODINGS)("data that is no %s", async (name) => {
    const failure = await coded(name, Buffer.from("\x28 this is plain text ".repeat(100)), (url) =>
      failureOf(text(url)),
    );
    expect(failure).toMatchObject({ code: expect.stringMatching(/^(?:incomplete|protocol)$/) as string });
  });

  it("an unknown coding, without the control characters of its name", async () => {
    const failure = await coded("compr\x9fss\t", Buffer.from("x"), (url) => failureOf(text(url)));
    expect(failure).toMatchObject({
      code: "unsupported",
      reason: expect.stringContaining("compr?ss") as string,
    });
  });

  it("more codings than maxContentCodings", async () => {
    const bytes = zlib.gzipSync(zlib.gzipSync(zlib.gzipSync("x")));
    const failure = await coded("gzip, gzip, gzip", bytes, (url) => failureOf(text(url)));
    expect(failure).toMatchObject({ code: "limit", limit: "maxContentCodings" });
    const limits = { maxContentCodings: 3 };
    expect(await coded("gzip, gzip, gzip", bytes, (url) => text(url, { limits }))).toBe("x");
  });

  it.each([
    ["gzip", zlib.gzipSync(Buffer.alloc(64 * 1_048_576))],
    [
      "br",
      zlib.brotliCompressSync(Buffer.alloc(64 * 1_048_576), {
        params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 },
      }),
    ],
    ["gzip, gzip", zlib.gzipSync(zlib.gzipSync(Buffer.alloc(64 * 1_048_576)))],
  ])("a decompression bomb of %s, near its start", async (name, bytes) => {
    let received = 0;
    const onProgress = (progress: { received: number }): void => void (received = progress.received);
    const failure = await coded(name, bytes, (url) => failureOf(text(url, { onProgress })));
    expect(failure).toMatchObject({ code: "limit", limit: "maxDecodedRatio" });
    expect(received).toBeLessThan(32 * 1_048_576);
  });

  it("not a body that expands within the limits", async () => {
    // Less than 1 MiB may expand by any ratio.
    const blanks = Buffer.alloc(1_000_000, " ");
    expect(await coded("gzip", zlib.gzipSync(blanks), text)).toHaveLength(blanks.length);
    const more = Buffer.alloc(8_000_000, " ");
    const limits = { maxDecodedRatio: 2000 };
    expect(await coded("gzip", zlib.gzipSync(more), (url) => text(url, { limits }))).toHaveLength(
      more.length,
    );
  });

  it("a decoded body longer than maxBodyBytes", async () => {
    const limits = { maxBodyBytes: 1000 };
    const failure = await coded("gzip", zlib.gzipSync(TEXT), (url) => failureOf(text(url, { limits })));
    expect(failure).toMatchObject({ code: "limit", limit: "maxBodyBytes" });
  });
});
