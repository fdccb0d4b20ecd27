import * as zlib from "node:zlib";
import { startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import {
  createServerUrl,
  getRejectedError,
  getWithSharedTestClient,
  readRequestHead,
  type HttpGetOptions,
} from "../test-client.ts";

const UNENCODED_TEXT = "The quick brown fox. ".repeat(20_000);
const zstdCompress = (zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer }).zstdCompressSync;

type EncodeFunction = (bytes: Uint8Array) => Buffer;
const CONTENT_CODINGS: readonly (readonly [name: string, code: EncodeFunction])[] = [
  ["gzip", zlib.gzipSync],
  ["x-gzip", zlib.gzipSync],
  ["GZIP", zlib.gzipSync],
  ["deflate", zlib.deflateSync],
  ["deflate", zlib.deflateRawSync],
  ["br", zlib.brotliCompressSync],
  ...(zstdCompress ? [["zstd", zstdCompress] as const] : []),
];

/** Calls a function with the URL of a server that sends an encoded body in chunks of a given size. */
async function requestEncodedBody<T>(
  coding: string,
  bytes: Uint8Array,
  use: (url: string) => Promise<T>,
  chunkBytes = Infinity,
  fields = "",
): Promise<T> {
  await using server = await startScriptedServer(async (peer) => {
    await readRequestHead(peer);
    peer.send(
      `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n${fields}Content-Length: ${bytes.length}\r\n\r\n`,
    );
    for (let start = 0; start < bytes.length; start += chunkBytes)
      peer.send(bytes.subarray(start, start + chunkBytes));
    await peer.closed;
  });
  return await use(createServerUrl(server));
}

const requestText = async (url: string, options?: HttpGetOptions): Promise<string> =>
  (await getWithSharedTestClient(url, options)).text();

describe("the client decodes a body with content codings", () => {
  it.each(CONTENT_CODINGS)("the client decodes a %s body from chunks of any size", async (name, code) => {
    const bytes = code(Buffer.from(UNENCODED_TEXT));
    for (const chunkBytes of [Infinity, 1000, 97]) {
      expect((await requestEncodedBody(name, bytes, requestText, chunkBytes)) === UNENCODED_TEXT).toBe(true);
    }
    const small = code(Buffer.from("small"));
    expect(await requestEncodedBody(name, small, requestText, 1)).toBe("small");
  });

  it("the client decodes a body with two content codings in one Content-Encoding header or in two", async () => {
    const bytes = zlib.brotliCompressSync(zlib.gzipSync(UNENCODED_TEXT));
    expect((await requestEncodedBody("gzip, br", bytes, requestText)) === UNENCODED_TEXT).toBe(true);
    expect(
      (await requestEncodedBody("gzip\r\nContent-Encoding: br", bytes, requestText)) === UNENCODED_TEXT,
    ).toBe(true);
    expect((await requestEncodedBody("identity, gzip, , br", bytes, requestText)) === UNENCODED_TEXT).toBe(
      true,
    );
  });

  it.each(["identity", "none", "Identity, None", ""])(
    "Content-Encoding %j leaves the body unchanged",
    async (name) => {
      await requestEncodedBody(name, Buffer.from("plain"), async (url) => {
        const resource = await getWithSharedTestClient(url);
        expect(resource.size).toBe(5);
        expect(await resource.text()).toBe("plain");
      });
    },
  );

  it("decompress: false returns the encoded body as the server sent it", async () => {
    const bytes = zlib.gzipSync(UNENCODED_TEXT);
    const raw = await requestEncodedBody("gzip", bytes, async (url) =>
      (await getWithSharedTestClient(url, { decompress: false })).bytes(),
    );
    expect(Buffer.from(raw)).toEqual(bytes);
    const options = { decompress: false, headers: { "accept-encoding": "x-my-own" } };
    await requestEncodedBody("x-my-own", Buffer.from("abc"), async (url) =>
      expect(await requestText(url, options)).toBe("abc"),
    );
  });

  it("an encoded body has no size, and is decoded only when the caller reads it", async () => {
    await requestEncodedBody("gzip", zlib.gzipSync(UNENCODED_TEXT), async (url) => {
      const resource = await getWithSharedTestClient(url);
      expect(resource.size).toBeUndefined();
      const reader = resource.body.getReader();
      expect((await reader.read()).value?.length).toBeLessThanOrEqual(65_536);
      await reader.cancel();
      expect(await getRejectedError(resource.completeness)).toMatchObject({ code: "aborted" });
    });
  });

  it("the client decodes an empty body as empty content in every content coding", async () => {
    for (const [name] of CONTENT_CODINGS)
      expect(await requestEncodedBody(name, Buffer.alloc(0), requestText)).toBe("");
  });

  it.each(CONTENT_CODINGS.filter(([name]) => /gzip|zstd/i.test(name)))(
    "the client decodes all members or frames of a %s body from chunks of any size",
    async (name, code) => {
      const words = ["one ", "", "two ", "three"];
      const bytes = Buffer.concat(words.map((word) => code(Buffer.from(word))));
      for (const chunkBytes of [Infinity, 1, 7])
        expect(await requestEncodedBody(name, bytes, requestText, chunkBytes)).toBe("one two three");
    },
  );

  // RFC 8878 §3.1.1.1.2: the five high bits of the window descriptor are the exponent of the window, less ten. The
  // block of the zstd frame is the raw text "ok".
  const createZstdFrame = (windowLog: number): Buffer =>
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (windowLog - 10) << 3, 0x11, 0x00, 0x00, 0x6f, 0x6b]);

  it.each<[name: string, frames: Buffer[], content: string | undefined]>(
    zstdCompress
      ? [
          ["a window of 8 MiB", [createZstdFrame(23)], "ok"],
          ["a window of 16 MiB", [createZstdFrame(24)], undefined],
          ["a window of 128 MiB", [createZstdFrame(27)], undefined],
          ["a second frame with a window of 16 MiB", [createZstdFrame(10), createZstdFrame(24)], undefined],
        ]
      : [],
  )("the client decodes a zstd window of 8 MiB, and refuses a larger one: %s", async (_, frames, content) => {
    await requestEncodedBody("zstd", Buffer.concat(frames), async (url) => {
      if (content !== undefined) return expect(await requestText(url)).toBe(content);
      expect(await getRejectedError(requestText(url))).toMatchObject({
        code: "unsupported",
        reason: "the zstd window of the body is larger than 8 MiB",
      });
    });
  });

  it.each(CONTENT_CODINGS)("the client reuses the connection after a chunked %s body", async (name, code) => {
    const bytes = code(Buffer.from("x"));
    await using server = await startScriptedServer(async (peer) => {
      for (let lines = await readRequestHead(peer); lines.length > 0; lines = await readRequestHead(peer)) {
        peer.send(`HTTP/1.1 200 OK\r\nContent-Encoding: ${name}\r\nTransfer-Encoding: chunked\r\n\r\n`);
        peer.send(`${bytes.length.toString(16)}\r\n`);
        peer.send(bytes);
        peer.send("\r\n0\r\n\r\n");
      }
    });
    for (let count = 0; count < 2; count++) expect(await requestText(createServerUrl(server))).toBe("x");
    expect(server.connections).toHaveLength(1);
  });
});

describe("the client reports faults of a body with content codings", () => {
  it.each(CONTENT_CODINGS)("a %s body that ends at any earlier byte is incomplete", async (name, code) => {
    const bytes = code(Buffer.from("some text, some more text and some text"));
    for (let length = 1; length < bytes.length; length++) {
      const failure = await requestEncodedBody(name, bytes.subarray(0, length), (url) =>
        getRejectedError(requestText(url)),
      );
      expect(failure).toMatchObject({
        code: "incomplete",
        reason: "the compressed body ended before it was complete",
      });
    }
  });

  it.each(
    CONTENT_CODINGS.flatMap(([name, code]) =>
      ["\x01\x02", "garbage", "\0\0\0\0\0\0\0\0\0"].map((more) => [name, more, code] as const),
    ),
  )("a %s body followed by the bytes %j is a protocol error", async (name, more, code) => {
    const bytes = code(Buffer.from("some text"));
    const followed = Buffer.concat([bytes, Buffer.from(more, "latin1")]);
    for (const chunkBytes of [Infinity, bytes.length, 1]) {
      const failure = await requestEncodedBody(
        name,
        followed,
        (url) => getRejectedError(requestText(url)),
        chunkBytes,
      );
      expect(failure).toMatchObject({ code: "protocol" });
    }
  });

  it.each(CONTENT_CODINGS)(
    "a body that is not encoded as its Content-Encoding %s says throws an error",
    async (name) => {
      const failure = await requestEncodedBody(
        name,
        Buffer.from("\x28 this is plain text ".repeat(100)),
        (url) => getRejectedError(requestText(url)),
      );
      expect(failure).toMatchObject({ code: expect.stringMatching(/^(?:incomplete|protocol)$/) as string });
    },
  );

  it("an unknown content coding throws unsupported, and its name has no control characters in the error", async () => {
    const failure = await requestEncodedBody("compr\x9fss\t", Buffer.from("x"), (url) =>
      getRejectedError(requestText(url)),
    );
    expect(failure).toMatchObject({
      code: "unsupported",
      reason: expect.stringContaining("compr?ss") as string,
    });
  });

  it("a body with more content codings than maxContentCodings is refused", async () => {
    const bytes = zlib.gzipSync(zlib.gzipSync(zlib.gzipSync("x")));
    const failure = await requestEncodedBody("gzip, gzip, gzip", bytes, (url) =>
      getRejectedError(requestText(url)),
    );
    expect(failure).toMatchObject({ code: "limit", limit: "maxContentCodings" });
    const limits = { maxContentCodings: 3 };
    expect(await requestEncodedBody("gzip, gzip, gzip", bytes, (url) => requestText(url, { limits }))).toBe(
      "x",
    );
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
  ])("a decompression bomb in %s is refused before half of its content is decoded", async (name, bytes) => {
    let received = 0;
    const onProgress = (progress: { received: number }): void => void (received = progress.received);
    const failure = await requestEncodedBody(name, bytes, (url) =>
      getRejectedError(requestText(url, { onProgress })),
    );
    expect(failure).toMatchObject({ code: "limit", limit: "maxDecodedRatio" });
    expect(received).toBeLessThan(32 * 1_048_576);
  });

  it("a body that expands within maxDecodedRatio is accepted", async () => {
    // The client limits the decoded ratio of a body only after the first 1 MiB.
    const blanks = Buffer.alloc(1_000_000, " ");
    expect(await requestEncodedBody("gzip", zlib.gzipSync(blanks), requestText)).toHaveLength(blanks.length);
    const more = Buffer.alloc(8_000_000, " ");
    const limits = { maxDecodedRatio: 2000 };
    expect(
      await requestEncodedBody("gzip", zlib.gzipSync(more), (url) => requestText(url, { limits })),
    ).toHaveLength(more.length);
  });

  it("a decoded body longer than maxBodyBytes is refused", async () => {
    const limits = { maxBodyBytes: 1000 };
    const failure = await requestEncodedBody("gzip", zlib.gzipSync(UNENCODED_TEXT), (url) =>
      getRejectedError(requestText(url, { limits })),
    );
    expect(failure).toMatchObject({ code: "limit", limit: "maxBodyBytes" });
  });
});
