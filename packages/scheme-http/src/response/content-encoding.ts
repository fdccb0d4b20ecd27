// A named import of createZstdDecompress would fail in versions of Deno without zstd.
import type { Transform } from "node:stream";
import * as zlib from "node:zlib";
import { AccessError } from "@anyscheme/core";
import { createLimitError, type ByteSource, createMaskableServerText } from "@anyscheme/core/plugin";
import type { ReceivedByteCounter } from "./body-framing-decoder.ts";
import { sanitizeServerText } from "./response-head.ts";

/** The number of decoded bytes up to which the limit `maxDecodedRatio` does not apply. */
const BYTES_BEFORE_RATIO_CHECK = 1_048_576;

/**
 * Each compressed frame after the first counts as `BYTES_PER_EXTRA_FRAME` bytes without content, because it needs a new
 * decompressor.
 */
const BYTES_PER_EXTRA_FRAME = 4_096;

/**
 * The base-2 logarithm of the largest allowed zstd window in bytes: 8 MiB. RFC 9659 §3. By default, zlib accepts a
 * window of 128 MiB.
 */
const MAX_ZSTD_WINDOW_LOG = 23;

type Decompressor = Transform & { readonly bytesWritten: number };

interface DecompressorFactory {
  readonly createDecompressor: (firstByte: number) => Decompressor;
  /** True for a content coding whose bodies may have several frames. Each frame needs its own decompressor. */
  readonly hasMultipleFrames?: boolean;
}

const gzip: DecompressorFactory = { createDecompressor: () => zlib.createGunzip() };
// RFC 1950 §2.2: zlib data has the method 8 in its low four bits. For the coding `deflate`, some servers send raw
// deflate data (RFC 1951) instead of zlib data.
const deflate: DecompressorFactory = {
  createDecompressor: (firstByte) =>
    (firstByte & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw(),
};
const brotli: DecompressorFactory = { createDecompressor: () => zlib.createBrotliDecompress() };
// RFC 8878 §3.1: "Zstandard compressed data is made up of one or more frames." Node's gunzip reads several members
// itself.
const zstd: DecompressorFactory = {
  createDecompressor: () =>
    zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: MAX_ZSTD_WINDOW_LOG } }),
  hasMultipleFrames: true,
};

/** The supported content codings by name. RFC 9110 §8.4.1, RFC 7932, RFC 8878. */
const CONTENT_CODINGS: ReadonlyMap<string, DecompressorFactory> = new Map<string, DecompressorFactory>([
  ["gzip", gzip],
  ["deflate", deflate],
  ["br", brotli],
  ...("createZstdDecompress" in zlib ? [["zstd", zstd] as const] : []),
  // RFC 9110 §8.4.1.3: "A recipient SHOULD consider "x-gzip" to be equivalent to "gzip"."
  ["x-gzip", gzip],
]);

/** True for a content coding that the client decodes. */
export function isKnownCoding(name: string): boolean {
  return CONTENT_CODINGS.has(name);
}

/** The value of the Accept-Encoding header. RFC 9110 §12.5.3. */
export const ACCEPT_ENCODING: string = [...CONTENT_CODINGS.keys()]
  .filter((name) => !name.startsWith("x-"))
  .join(", ");

/**
 * Returns a source of the decoded content of a body. Throws `unsupported` for an unknown content coding, and `limit`
 * for too many content codings. Reading fails with `limit` when the output is far larger than the input, or when the
 * input has no output.
 */
export function decodeContent(
  source: ByteSource,
  codings: readonly string[],
  received: ReceivedByteCounter,
): ByteSource {
  const { limits } = received;
  if (codings.length > limits.maxContentCodings)
    throw createLimitError("maxContentCodings", limits, "the response has too many content codings");
  received.isBodyEncoded = true;
  let decoded = source;
  for (const [index, name] of codings.toReversed().entries()) {
    const coding = CONTENT_CODINGS.get(name);
    if (!coding) {
      const shown = createMaskableServerText(sanitizeServerText(name));
      const reason = ["the server used the content coding ", shown, ", which was not requested"];
      throw new AccessError("unsupported", reason);
    }
    // The size of each decompressor's output is compared with the number of received bytes.
    decoded = new DecompressedSource(decoded, coding, received, index === 0);
  }
  return {
    readChunks: (onChunk) =>
      decoded.readChunks((bytes) => {
        received.resetBytesWithoutContent();
        return onChunk(bytes);
      }),
    cancel: () => decoded.cancel(),
  };
}

/**
 * The decompressed bytes of another source. Passes the next chunk to the decompressor after the reader has consumed the
 * output of the previous chunk.
 */
class DecompressedSource implements ByteSource {
  readonly #source: ByteSource;
  readonly #coding: DecompressorFactory;
  readonly #receivedBytes: ReceivedByteCounter;
  readonly #isOutermostCoding: boolean;
  #decompressor: Decompressor | undefined;
  #frames = 0;
  #failure: unknown;
  #isSourceEnded = false;
  #isEnded = false;
  #isWriting = false;
  /** True when bytes were received after the end of the compressed data. */
  #hasTrailingBytes = false;
  /** The number of bytes that were passed to the current decompressor. */
  #writtenBytes = 0;
  #outputBytes = 0;
  /** The received bytes that no decompressor has consumed. */
  #pending: Uint8Array = new Uint8Array(0);
  /** A promise that resolves at the next data, end or error event of the decompressor. */
  #event = Promise.withResolvers<void>();

  /** `isOutermostCoding` is true for the coding that the server applied last. */
  constructor(
    source: ByteSource,
    coding: DecompressorFactory,
    receivedBytes: ReceivedByteCounter,
    isOutermostCoding: boolean,
  ) {
    this.#source = source;
    this.#coding = coding;
    this.#receivedBytes = receivedBytes;
    this.#isOutermostCoding = isOutermostCoding;
  }

  async readChunks(onChunk: (bytes: Uint8Array) => boolean): Promise<"more" | "end"> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      const chunk = this.#decompressor?.read() as Uint8Array | null | undefined;
      if (chunk) {
        this.#checkExpansionRatio(chunk.length);
        if (!onChunk(chunk)) return "more";
      } else if (this.#isEnded) return "end";
      else if (!this.#isWriting && !this.#hasTrailingBytes && !this.#isSourceEnded)
        await this.#feedDecompressor();
      else {
        this.#event = Promise.withResolvers();
        await this.#event.promise;
      }
    }
  }

  cancel(): void {
    this.#failure ??= new AccessError("aborted", "the transfer was cancelled");
    this.#source.cancel();
    this.#decompressor?.destroy();
    this.#event.resolve();
  }

  /** Reads the next chunk of the source if necessary, and passes it to the decompressor. */
  async #feedDecompressor(): Promise<void> {
    const state =
      this.#pending.length > 0
        ? "more"
        : await this.#source.readChunks((bytes) => (this.#pending = bytes).length === 0);
    const { length } = this.#pending;
    if (length > 0)
      return this.#writeToDecompressor(
        this.#isOutermostCoding ? this.#receivedBytes.addCompressedBytes(length) : length,
      );
    if (state !== "end") return;
    this.#isSourceEnded = true;
    // An empty body needs no decompressor: its content is empty.
    if (this.#decompressor) this.#decompressor.end();
    else this.#isEnded = true;
  }

  #writeToDecompressor(count: number): void {
    const bytes = this.#pending.subarray(0, count);
    this.#pending = this.#pending.subarray(count);
    const decompressor = (this.#decompressor ??= this.#createNextDecompressor(bytes[0] ?? 0));
    this.#writtenBytes += count;
    this.#isWriting = true;
    decompressor.write(bytes, () => {
      this.#isWriting = false;
      this.#putBackUnusedBytes(bytes.subarray(count - (this.#writtenBytes - decompressor.bytesWritten)));
      this.#event.resolve();
    });
  }

  #createNextDecompressor(firstByte: number): Decompressor {
    if (this.#frames++ > 0) this.#receivedBytes.addFramingBytes(BYTES_PER_EXTRA_FRAME);
    const created = this.#coding.createDecompressor(firstByte);
    created
      .on("readable", () => this.#event.resolve())
      .on("end", () => {
        this.#endCompressedFrame(created);
        this.#event.resolve();
      })
      .on("error", (cause: NodeJS.ErrnoException) => {
        this.#failure ??= createDecompressionError(cause);
        this.#event.resolve();
      });
    this.#writtenBytes = 0;
    return created;
  }

  #endCompressedFrame({ bytesWritten }: Decompressor): void {
    if (!this.#hasTrailingBytes) this.#isEnded = true;
    else if (this.#coding.hasMultipleFrames && bytesWritten > 0) this.#decompressor = undefined;
    else
      this.#failure ??= new AccessError(
        "protocol",
        "the server sent bytes after the end of the compressed body",
      );
    this.#hasTrailingBytes = false;
  }

  /** Puts back bytes that the decompressor did not consume, because the compressed data had ended. */
  #putBackUnusedBytes(unused: Uint8Array): void {
    if (unused.length === 0) return;
    this.#hasTrailingBytes = true;
    if (this.#isOutermostCoding) this.#receivedBytes.subtractCompressedBytes(unused.length);
    this.#pending = this.#pending.length === 0 ? unused : Buffer.concat([unused, this.#pending]);
  }

  #checkExpansionRatio(bytes: number): void {
    const { limits, compressedBytes } = this.#receivedBytes;
    this.#outputBytes += bytes;
    const isTooLarge = this.#outputBytes > compressedBytes * limits.maxDecodedRatio;
    if (this.#outputBytes > BYTES_BEFORE_RATIO_CHECK && isTooLarge)
      throw createLimitError(
        "maxDecodedRatio",
        limits,
        "the decompressed body is too large for its compressed size",
      );
  }
}

function createDecompressionError(cause: NodeJS.ErrnoException): AccessError {
  if (cause.code === "Z_BUF_ERROR")
    return new AccessError("incomplete", "the compressed body ended before it was complete", { cause });
  if (cause.code === "ZSTD_error_frameParameter_windowTooLarge")
    return new AccessError("unsupported", "the zstd window of the body is larger than 8 MiB", { cause });
  return new AccessError("protocol", "the body is not encoded as its Content-Encoding says", { cause });
}
