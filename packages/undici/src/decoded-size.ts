import type { Transform } from "node:stream";
// A named import of createZstdDecompress would fail in versions of Node.js without zstd.
import * as zlib from "node:zlib";
import { AccessError } from "@anyscheme/core";
import { createLimitError } from "@anyscheme/core/plugin";
import type { ResponseLimits } from "./options.ts";

/** The number of decoded bytes up to which the limit `maxDecodedRatio` does not apply. */
const UNCHECKED_BYTES = 1_048_576;

type CreateDecompressor = (firstByte: number) => Transform;

const gzip: CreateDecompressor = () => zlib.createGunzip();
// RFC 1950 §2.2: zlib data has the method 8 in its low four bits. Some servers send raw deflate data (RFC 1951)
// instead, which fetch accepts.
const deflate: CreateDecompressor = (firstByte) =>
  (firstByte & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();

/**
 * The base-2 logarithm of the largest allowed zstd window in bytes: 8 MiB. RFC 9659 §3. By default, zlib accepts zstd
 * windows of 128 MiB.
 */
const MAX_ZSTD_WINDOW_LOG = 23;
const zstd: CreateDecompressor = () =>
  zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: MAX_ZSTD_WINDOW_LOG } });

/** The content codings that `fetch` decodes. RFC 9110 §8.4.1, RFC 7932, RFC 8878. */
const DECOMPRESSORS: ReadonlyMap<string, CreateDecompressor> = new Map<string, CreateDecompressor>([
  ["gzip", gzip],
  ["x-gzip", gzip],
  ["deflate", deflate],
  ["br", () => zlib.createBrotliDecompress()],
  ...("createZstdDecompress" in zlib ? [["zstd", zstd] as const] : []),
]);

/**
 * Measures the decoded size of a compressed body, chunk by chunk. `fetch` decodes the body itself. The meter discards
 * the decoded bytes.
 */
export class DecodedSizeMeter {
  readonly #stages: readonly DecompressionStage[];
  readonly #limits: ResponseLimits;
  readonly #isPartialContent: boolean;
  #receivedBytes = 0;
  #isInvalid = false;

  /** The codings are in the order of the Content-Encoding header. */
  private constructor(
    codings: readonly CreateDecompressor[],
    limits: ResponseLimits,
    isPartialContent: boolean,
  ) {
    this.#limits = limits;
    this.#isPartialContent = isPartialContent;
    const check = (decodedBytes: number): void => this.#check(decodedBytes);
    this.#stages = codings.toReversed().map((create) => new DecompressionStage(create, check));
  }

  /**
   * Creates the meter of a body, or returns `undefined` for a body that `fetch` does not decode. Throws `limit` for
   * more codings than `maxContentCodings`. With `isPartialContent`, invalid compressed data is not an error: no caller
   * can decode it.
   */
  static create(
    contentEncoding: string,
    limits: ResponseLimits,
    { isPartialContent }: { readonly isPartialContent: boolean },
  ): DecodedSizeMeter | undefined {
    // The recipient of an HTTP response ignores empty elements of the list in Content-Encoding. RFC 9110 §5.6.1.
    const listed = contentEncoding.split(",").map((name) => name.trim().toLowerCase());
    const names = listed.filter((name) => name !== "");
    if (names.length > limits.maxContentCodings)
      throw createLimitError("maxContentCodings", limits, "the response has too many content codings");
    const codings = names.flatMap((name) => DECOMPRESSORS.get(name) ?? []);
    // One unknown coding makes fetch return the body as received.
    return names.length > 0 && codings.length === names.length
      ? new DecodedSizeMeter(codings, limits, isPartialContent)
      : undefined;
  }

  /**
   * Measures the decoded size of a chunk of the compressed body. Rejects with `limit`, `unsupported`, and `protocol`
   * for invalid data.
   */
  async measure(chunk: Uint8Array): Promise<void> {
    if (this.#isInvalid) return;
    this.#receivedBytes += chunk.length;
    try {
      await this.#decompress(chunk);
    } catch (error) {
      if (!this.#isPartialContent || (error as AccessError).code !== "protocol") throw error;
      this.#isInvalid = true;
    }
  }

  async #decompress(chunk: Uint8Array): Promise<void> {
    let chunks: readonly Uint8Array[] = [chunk];
    for (const [index, stage] of this.#stages.entries()) {
      const keepsOutput = index < this.#stages.length - 1;
      const decoded: Uint8Array[] = [];
      for (const each of chunks) decoded.push(...(await stage.write(each, keepsOutput)));
      chunks = decoded;
    }
  }

  /** Frees the memory of the decompressors. */
  close(): void {
    for (const stage of this.#stages) stage.close();
  }

  #check(decodedBytes: number): void {
    const limits = this.#limits;
    if (decodedBytes > limits.maxBodyBytes)
      throw createLimitError("maxBodyBytes", limits, "the decoded body is too large");
    if (decodedBytes > UNCHECKED_BYTES && decodedBytes > this.#receivedBytes * limits.maxDecodedRatio)
      throw createLimitError(
        "maxDecodedRatio",
        limits,
        "the decoded body is far larger than the received body",
      );
  }
}

/** Decompresses one content coding, and counts the decoded bytes. */
class DecompressionStage {
  readonly #create: CreateDecompressor;
  readonly #check: (decodedBytes: number) => void;
  #decompressor: Transform | undefined;
  #decodedBytes = 0;
  #output: Uint8Array[] = [];
  #keepsOutput = false;
  #failure: Error | undefined;
  #hasEnded = false;

  constructor(create: CreateDecompressor, check: (decodedBytes: number) => void) {
    this.#create = create;
    this.#check = check;
  }

  /** Decompresses a chunk. Returns the decoded bytes only with `keepsOutput`. */
  async write(chunk: Uint8Array, keepsOutput: boolean): Promise<readonly Uint8Array[]> {
    this.#keepsOutput = keepsOutput;
    // fetch ignores bytes after the end of the compressed data.
    if (chunk.length === 0 || this.#hasEnded) return [];
    this.#decompressor ??= this.#open(chunk[0] ?? 0);
    const decompressor = this.#decompressor;
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        decompressor.off("end", finish).off("close", finish);
        resolve();
      };
      decompressor.once("end", finish).once("close", finish).write(chunk, finish);
    });
    if (this.#failure) throw this.#failure;
    return this.#output.splice(0);
  }

  close(): void {
    this.#decompressor?.destroy();
  }

  #open(firstByte: number): Transform {
    const decompressor = this.#create(firstByte);
    decompressor
      .on("data", (bytes: Uint8Array) => this.#count(decompressor, bytes))
      .on("end", () => (this.#hasEnded = true))
      .on("error", (cause) => {
        this.#failure ??= createDecompressionError(cause);
      });
    return decompressor;
  }

  #count(decompressor: Transform, bytes: Uint8Array): void {
    this.#decodedBytes += bytes.length;
    try {
      this.#check(this.#decodedBytes);
      if (this.#keepsOutput) this.#output.push(bytes);
    } catch (error) {
      this.#failure ??= error as Error;
      decompressor.destroy();
    }
  }
}

function createDecompressionError(cause: NodeJS.ErrnoException): AccessError {
  if (cause.code === "ZSTD_error_frameParameter_windowTooLarge")
    return new AccessError("unsupported", "the zstd window of the body is larger than 8 MiB", { cause });
  return new AccessError("protocol", "the compressed body is invalid", { cause });
}
