// A named import of createZstdDecompress would fail in versions of Deno without zstd.
import type { Transform } from "node:stream";
import * as zlib from "node:zlib";
import { AccessError } from "@anyscheme/core";
import { createLimitError, type ByteSource, createMaskableServerText } from "@anyscheme/core/plugin";
import type { ReceivedByteCounter } from "./response-body.ts";
import { sanitizeServerText } from "./response-head.ts";

/** The number of decoded bytes up to which the limit `maxDecodedRatio` does not apply. */
const BYTES_BEFORE_RATIO_CHECK = 1_048_576;

/** Each compressed frame after the first counts as this many bytes, because it needs a new decompressor. */
const BYTES_PER_EXTRA_FRAME = 4_096;

/**
 * The base-2 logarithm of the largest allowed zstd window in bytes: 8 MiB. RFC 9659 §3. By default, zlib accepts a
 * window of 128 MiB.
 */
const MAX_ZSTD_WINDOW_LOG = 23;

export type Decompressor = Transform & { readonly bytesWritten: number };

export interface DecompressorFactory {
  readonly createDecompressor: (firstByte: number) => Decompressor;
  /** True for a content coding whose bodies may have several frames. Each frame needs its own decompressor. */
  readonly hasMultipleFrames?: boolean;
}

const gzip: DecompressorFactory = { createDecompressor: () => zlib.createGunzip() };
// RFC 1950 §2.2: zlib data has the method 8 in its low four bits. Some servers send raw deflate data (RFC 1951)
// instead.
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
 * Returns a source of the decoded content of a body. Throws `unsupported` for an unknown coding, and `limit` for too
 * many. Reading fails with `limit` when the output is far larger than the input, or when the input has no output.
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
    decoded = decompressOneCoding(decoded, coding, received, index === 0);
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
 * Returns a source of the decompressed bytes of another source. Passes the next chunk to the decompressor after the
 * reader has consumed the output of the previous chunk. `isOutermostCoding` is true for the coding that the server
 * applied last.
 */
export function decompressOneCoding(
  source: ByteSource,
  { createDecompressor, hasMultipleFrames = false }: DecompressorFactory,
  receivedBytes: ReceivedByteCounter,
  isOutermostCoding: boolean,
): ByteSource {
  let decompressor: Decompressor | undefined;
  let frames = 0;
  let failure: unknown;
  let isSourceEnded = false;
  let isEnded = false;
  let isWriting = false;
  /** True when bytes were received after the end of the compressed data. */
  let hasTrailingBytes = false;
  let writtenBytes = 0;
  let outputBytes = 0;
  /** The received bytes that no decompressor has consumed. */
  let pending: Uint8Array = new Uint8Array(0);
  /** A promise that resolves at the next data, end or error event of the decompressor. */
  let event = Promise.withResolvers<void>();

  function resolveDecompressorEvent(): void {
    event.resolve();
  }

  function createNextDecompressor(firstByte: number): Decompressor {
    if (frames++ > 0) receivedBytes.addFramingBytes(BYTES_PER_EXTRA_FRAME);
    const created = createDecompressor(firstByte);
    created
      .on("readable", resolveDecompressorEvent)
      .on("end", () => {
        endCompressedFrame(created);
        resolveDecompressorEvent();
      })
      .on("error", (cause: NodeJS.ErrnoException) => {
        failure ??= createDecompressionError(cause);
        resolveDecompressorEvent();
      });
    writtenBytes = 0;
    return created;
  }

  function endCompressedFrame({ bytesWritten }: Decompressor): void {
    if (!hasTrailingBytes) isEnded = true;
    else if (hasMultipleFrames && bytesWritten > 0) decompressor = undefined;
    else
      failure ??= new AccessError("protocol", "the server sent bytes after the end of the compressed body");
    hasTrailingBytes = false;
  }

  /** Reads the next chunk of the source if necessary, and passes it to the decompressor. */
  async function feedDecompressor(): Promise<void> {
    const state =
      pending.length > 0 ? "more" : await source.readChunks((bytes) => (pending = bytes).length === 0);
    if (pending.length > 0)
      return writeToDecompressor(
        isOutermostCoding ? receivedBytes.addCompressedBytes(pending.length) : pending.length,
      );
    if (state !== "end") return;
    isSourceEnded = true;
    // An empty body needs no decompressor: its content is empty.
    if (decompressor) decompressor.end();
    else isEnded = true;
  }

  function writeToDecompressor(count: number): void {
    const bytes = pending.subarray(0, count);
    pending = pending.subarray(count);
    const current = (decompressor ??= createNextDecompressor(bytes[0] ?? 0));
    writtenBytes += count;
    isWriting = true;
    current.write(bytes, () => {
      isWriting = false;
      putBackUnusedBytes(bytes.subarray(count - (writtenBytes - current.bytesWritten)));
      resolveDecompressorEvent();
    });
  }

  /** Puts back bytes that the decompressor did not consume, because the compressed data had ended. */
  function putBackUnusedBytes(unused: Uint8Array): void {
    if (unused.length === 0) return;
    hasTrailingBytes = true;
    if (isOutermostCoding) receivedBytes.subtractCompressedBytes(unused.length);
    pending = pending.length === 0 ? unused : Buffer.concat([unused, pending]);
  }

  function checkExpansionRatio(bytes: number): void {
    const { limits, compressedBytes } = receivedBytes;
    outputBytes += bytes;
    if (outputBytes > BYTES_BEFORE_RATIO_CHECK && outputBytes > compressedBytes * limits.maxDecodedRatio)
      throw createLimitError(
        "maxDecodedRatio",
        limits,
        "the decompressed body is too large for its compressed size",
      );
  }

  return {
    async readChunks(onChunk) {
      for (;;) {
        if (failure !== undefined) throw failure;
        const chunk = decompressor?.read() as Uint8Array | null | undefined;
        if (chunk) {
          checkExpansionRatio(chunk.length);
          if (!onChunk(chunk)) return "more";
        } else if (isEnded) return "end";
        else if (!isWriting && !hasTrailingBytes && !isSourceEnded) await feedDecompressor();
        else {
          event = Promise.withResolvers();
          await event.promise;
        }
      }
    },
    cancel() {
      failure ??= new AccessError("aborted", "the transfer was cancelled");
      source.cancel();
      decompressor?.destroy();
      resolveDecompressorEvent();
    },
  };
}

function createDecompressionError(cause: NodeJS.ErrnoException): AccessError {
  if (cause.code === "Z_BUF_ERROR")
    return new AccessError("incomplete", "the compressed body ended before it was complete", { cause });
  if (cause.code === "ZSTD_error_frameParameter_windowTooLarge")
    return new AccessError("unsupported", "the zstd window of the body is larger than 8 MiB", { cause });
  return new AccessError("protocol", "the body is not encoded as its Content-Encoding says", { cause });
}
