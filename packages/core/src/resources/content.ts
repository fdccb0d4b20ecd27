import type { ReadableByteStreamController } from "node:stream/web";
import { callUserCallback } from "../errors/call-user-callback.ts";
import { AccessError, createMaskableServerText, toAccessError } from "../errors/access-error.ts";
import { createLimitError } from "../policy/limits.ts";
import type { Completeness, ContentResource, RedirectChainEntry } from "../scheme/resource.ts";
import type { ByteSource, ContentInit, ResponseHead } from "../scheme/context.ts";
import type { Plan } from "../scheme/plan.ts";
import type { Url } from "../syntax/index.ts";
import { AbortableRead } from "../io/abort.ts";
import { ChunkList } from "../io/chunk-list.ts";
import { decodeTextBody } from "../text/media-type.ts";
import type { AccessErrorToFetchConverter } from "../client/fetch/create-fetch-response.ts";
import type { ResponseWithBufferingLimit } from "../client/fetch/response-with-buffering-limit.ts";
import {
  statusAllowsBody,
  contentToResponse,
  createResponseHeadFromContent,
  createResponseInitFromHead,
} from "./resource-to-response.ts";
import type { ResourceContext } from "./resource-context.ts";

/** The minimum of the limit on received bytes, because content codings and framing add bytes to a short body. */
const MIN_RECEIVED_BYTES_LIMIT = 1_048_576;

/**
 * The number of bytes that the body of a `fetch` response reads before its reader asks for them, so that a short body
 * that the program does not read frees its connection.
 */
const READ_AHEAD_BYTES = 65_536;

/** A content resource that reads from its source on demand. */
export class Content implements ContentResource {
  readonly kind = "content";
  readonly url: Url;
  readonly redirectChain: readonly RedirectChainEntry[];
  readonly plan: Plan;
  readonly mediaType: string;
  readonly size: number | undefined;
  readonly totalSize: number | undefined;
  readonly modified: Date | undefined;
  readonly #context: ResourceContext;
  readonly #source: ByteSource;
  readonly #completenessAtEnd: () => Completeness;
  readonly #sizeMayGrow: boolean;
  readonly #decode: ContentInit["decodeText"];
  readonly #createResponseHead: ContentInit["response"];
  readonly #limitReceivedBytes: ContentInit["limitReceivedBytes"];
  #body: ReadableStream<Uint8Array> | undefined;
  /** Converts the errors of the stream `body` for a response of `fetch`. */
  #mapStreamError: AccessErrorToFetchConverter = (error) => error;
  /** A weak reference, so that the client can cancel a stream that the program has dropped. */
  #controller: WeakRef<ReadableByteStreamController> | undefined;
  readonly #pendingRead = new AbortableRead();
  #isUsed = false;
  /** True when the program collects the body of a `fetch` response, so that `maxBodyBytes` applies. */
  #isCollected = false;
  #isClosed = false;
  #received = 0;
  #failure: AccessError | undefined;
  readonly #completion = Promise.withResolvers<Completeness>();

  constructor(init: ContentInit, context: ResourceContext) {
    this.url = context.url;
    this.redirectChain = context.redirectChain;
    this.plan = context.plan;
    this.mediaType = init.mediaType ?? "application/octet-stream";
    this.size = init.size;
    this.totalSize = init.totalSize;
    this.modified = init.modified;
    this.#context = context;
    this.#source = init.source;
    this.#sizeMayGrow = init.sizeMayGrow === true;
    this.#decode = init.decodeText;
    this.#createResponseHead = init.response;
    this.#limitReceivedBytes = init.limitReceivedBytes;
    const { completeness = "verified" } = init;
    this.#completenessAtEnd = typeof completeness === "function" ? completeness : () => completeness;
    // The body reports the same failure as `completeness`. Without this empty handler, an unhandled rejection of
    // `completeness` would end the process.
    this.#completion.promise.catch(() => undefined);
    const { lifetime } = context;
    const onAbort = (): void => void this.#fail(lifetime.signal.reason);
    // An access method may create its content after the request was aborted. The source of content that is created
    // after an abort is cancelled at once.
    if (lifetime.signal.aborted) onAbort();
    lifetime.signal.addEventListener("abort", onAbort);
  }

  get response(): ResponseHead | undefined {
    return this.#createResponseHead?.();
  }

  get completeness(): Promise<Completeness> {
    return this.#completion.promise;
  }

  get body(): ReadableStream<Uint8Array> {
    return (this.#body ??= this.#createStream(0));
  }

  get bodyUsed(): boolean {
    return this.#isUsed;
  }

  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#collect((chunks) => concatChunks(chunks, this.#received));
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer;
  }

  async text(): Promise<string> {
    const bytes = await this.bytes();
    return this.#decode ? this.#decode(bytes) : decodeTextBody(bytes, this.mediaType);
  }

  async json(): Promise<unknown> {
    const text = new TextDecoder().decode(await this.bytes());
    try {
      return JSON.parse(text);
    } catch (cause) {
      const reason = [
        "the content is not JSON: its media type is ",
        createMaskableServerText(this.mediaType),
      ];
      throw this.#fail(new AccessError("unsupported", reason, { cause }));
    }
  }

  blob(): Promise<Blob> {
    return this.#collect((chunks) => new Blob(chunks, { type: this.mediaType }));
  }

  async saveTo(path: string): Promise<number> {
    this.#markUsed();
    const { rejectDirectoryAsSavePath, saveBytes, toSaveError } = await import("./save-to-file.ts");
    try {
      await rejectDirectoryAsSavePath(path);
      await saveBytes(path, (onChunk) => this.#readChunks(onChunk));
      return this.#received;
    } catch (error) {
      throw this.#fail(toSaveError(path, error), "save");
    }
  }

  /** Returns the content as a `Response`. `body` replaces the stream of the content, for bytes that have been read. */
  toResponse(body?: Uint8Array | null): Response {
    return contentToResponse(this, this.response, body);
  }

  /**
   * Returns the content as the response of `fetch`. The stream of the body reads ahead, fails with the errors that
   * `mapError` returns, and is cancelled when the program has dropped it. `maxBodyBytes` applies to the methods that
   * collect the body, such as `text()`.
   */
  toFetchResponse(
    responseClass: typeof ResponseWithBufferingLimit,
    mapError: AccessErrorToFetchConverter,
  ): Response {
    const head = this.response ?? createResponseHeadFromContent(this);
    if (!statusAllowsBody(head.status)) return this.toResponse(null);
    const init = createResponseInitFromHead(head);
    this.#mapStreamError = mapError;
    const stream = this.#createStream(READ_AHEAD_BYTES);
    this.#context.lifetime.activeRequests.closeWhenCollected(stream, this);
    return new responseClass(stream, init, () => this.#limitCollectedBody());
  }

  /** Applies `callTimeoutMs` to the body too, for a method that reads the whole body in one call. */
  applyCallTimeout(): void {
    this.#context.lifetime.setRequestDeadline(this.#context);
  }

  #limitCollectedBody(): void {
    const { limits } = this.#context;
    this.#isCollected = true;
    this.#limitReceivedBytes?.(
      Math.max(MIN_RECEIVED_BYTES_LIMIT, limits.maxBodyBytes * limits.maxEncodedRatio),
    );
    try {
      this.#checkLength();
    } catch (error) {
      throw this.#mapStreamError(this.#fail(error));
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    this.#markUsed();
    try {
      for (let state = "more"; state === "more";) {
        const chunks: Uint8Array[] = [];
        // Requests one chunk at a time from the source. A source may pass further chunks, which are stored in `chunks`.
        state = await this.#readChunks((bytes) => chunks.push(bytes) === 0);
        for (const chunk of chunks) yield chunk;
      }
    } catch (error) {
      throw this.#fail(error);
    } finally {
      await this.close();
    }
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#fail(new AccessError("aborted", "the resource was closed before its end"));
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Calls the byte source's method `readChunks` once. The end of the body resolves `completeness` and ends the lifetime
   * of the request.
   */
  async #readChunks(take: (bytes: Uint8Array) => boolean): Promise<"more" | "end"> {
    if (this.#failure) throw this.#failure;
    const { lifetime } = this.#context;
    lifetime.ref();
    try {
      const read = (): Promise<"more" | "end"> =>
        this.#source.readChunks((bytes) => {
          // A source that ignores the signal can still pass chunks after the abort.
          if (this.#isClosed) return false;
          // A byte stream rejects empty chunks.
          if (bytes.length === 0) return true;
          return this.#countBytes(bytes) && take(bytes);
        });
      const state = await this.#pendingRead.run(read);
      this.#checkLength();
      if (state === "end") this.#complete();
      return state;
    } finally {
      lifetime.unref();
    }
  }

  #countBytes(bytes: Uint8Array): boolean {
    const { limits, onProgress, traceBodyHash } = this.#context;
    this.#received += bytes.length;
    traceBodyHash?.update(bytes);
    if (this.#received > limits.maxStreamBytes) return false;
    if (onProgress)
      callUserCallback("onProgress", onProgress, { received: this.#received, total: this.size });
    return true;
  }

  #checkLength(): void {
    const { limits } = this.#context;
    if (this.#isCollected && this.#received > limits.maxBodyBytes)
      throw createLimitError("maxBodyBytes", limits, "the body is longer than maxBodyBytes allows");
    if (this.#received > limits.maxStreamBytes)
      throw createLimitError("maxStreamBytes", limits, "the body is too long");
  }

  #complete(): void {
    if (this.#isClosed) return;
    const missing = (this.size ?? this.#received) - this.#received;
    if (missing > 0 || (missing < 0 && !this.#sizeMayGrow))
      throw new AccessError(
        "incomplete",
        `the body ended after ${this.#received} bytes, and the server stated a size of ${this.size} bytes`,
      );
    this.#context.onBodyEnd(this.#received, this.#context.traceBodyHash?.digest("hex"));
    this.#isClosed = true;
    this.#completion.resolve(this.#completenessAtEnd());
    this.#context.lifetime.end();
  }

  async #collect<T>(result: (chunks: Uint8Array<ArrayBuffer>[]) => T): Promise<T> {
    const { limits } = this.#context;
    this.#markUsed(Math.min(limits.maxBodyBytes, limits.maxStreamBytes));
    const chunks = new ChunkList();
    const tooLong = (): boolean => this.#received > limits.maxBodyBytes;
    try {
      let state = "more";
      while (state === "more" && !tooLong()) {
        state = await this.#readChunks((bytes) => {
          if (!tooLong()) chunks.push(bytes as Uint8Array<ArrayBuffer>);
          return !tooLong();
        });
      }
      if (tooLong())
        throw createLimitError("maxBodyBytes", limits, "the body is longer than maxBodyBytes allows");
      return result(chunks.takeAll());
    } catch (error) {
      throw this.#fail(error);
    }
  }

  /**
   * Creates a byte stream that reads the source on demand, into the buffer of the stream's reader if possible.
   * The stream reads `readAheadBytes` bytes ahead of its reader.
   */
  #createStream(readAheadBytes: number): ReadableStream<Uint8Array> {
    this.#markUsed();
    const pull = async (controller: ReadableByteStreamController): Promise<void> => {
      try {
        const state = await this.#readChunks((bytes) => {
          deliverToStream(controller, bytes);
          return false;
        });
        if (state === "end") closeStream(controller);
      } catch (error) {
        throw this.#mapStreamError(this.#fail(error));
      }
    };
    return new ReadableStream(
      {
        type: "bytes",
        start: (controller) => {
          this.#controller = new WeakRef(controller);
        },
        pull,
        cancel: () => this.close(),
      },
      { highWaterMark: readAheadBytes },
    );
  }

  /** Marks the body as used. Throws a `TypeError` when the body has been used before. */
  #markUsed(maxBytes = this.#context.limits.maxStreamBytes): void {
    if (this.#isUsed) throw new TypeError("the body has been used already");
    this.#isUsed = true;
    const { maxEncodedRatio } = this.#context.limits;
    this.#limitReceivedBytes?.(Math.max(MIN_RECEIVED_BYTES_LIMIT, maxBytes * maxEncodedRatio));
  }

  #fail(error: unknown, operation = "read"): AccessError {
    const { lifetime } = this.#context;
    if (!this.#isClosed) {
      this.#isClosed = true;
      const reason: unknown = lifetime.signal.aborted ? lifetime.signal.reason : error;
      this.#failure = toAccessError(reason).withContext(this.#context.createErrorContext(operation));
      this.#completion.reject(this.#failure);
      this.#pendingRead.abort(this.#failure);
      this.#source.cancel();
      lifetime.end();
      // The rejection of `pull` fails a stream that is being read. `controller.error` fails a stream that is not being
      // read.
      this.#controller?.deref()?.error(this.#mapStreamError(this.#failure));
    }
    return this.#failure ?? toAccessError(error).withContext(this.#context.createErrorContext(operation));
  }
}

/** Returns the bytes of all chunks in a new array. `length` is the total number of bytes. */
function concatChunks(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}

function deliverToStream(controller: ReadableByteStreamController, bytes: Uint8Array): void {
  const view = controller.byobRequest?.view;
  if (!view) return controller.enqueue(new Uint8Array(bytes));
  const target = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const count = Math.min(target.length, bytes.length);
  target.set(bytes.subarray(0, count));
  controller.byobRequest?.respond(count);
  if (count < bytes.length) controller.enqueue(new Uint8Array(bytes.subarray(count)));
}

function closeStream(controller: ReadableByteStreamController): void {
  controller.close();
  controller.byobRequest?.respond(0);
}
