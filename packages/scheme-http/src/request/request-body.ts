import { AccessError } from "@anyscheme/core";
import type { UploadChunksAndSize } from "@anyscheme/core/plugin";
import { encodeMultipartForm } from "./multipart-form.ts";

/** The body of a request: a body of the Fetch standard, or an iterable of byte arrays. */
export type HttpRequestBody =
  | string
  | ArrayBufferLike
  | ArrayBufferView
  | Blob
  | FormData
  | URLSearchParams
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | Iterable<Uint8Array>;

/** Reads the chunks of a request body. */
export interface RequestBodyReader {
  /** Resolves to the next chunk of the request body, or to `undefined` at the end of the body. */
  next(): Promise<unknown>;
  /** Discards the unread chunks. */
  cancel(reason: unknown): void;
}

interface RequestBodyInit {
  readonly open: () => RequestBodyReader;
  readonly size?: number | undefined;
  readonly mediaType?: string | undefined;
  readonly isRepeatable?: boolean;
  readonly awaitsContinue?: boolean;
}

/** The size of the parts in which a byte array is sent, in bytes. */
const BODY_PART_BYTES = 65_536;

/** The body of a request with its length and media type. */
export class RequestBodyWithType {
  /** The length of the request body in bytes. `undefined` for a body with the chunked coding. */
  readonly size: number | undefined;
  /**
   * The media type that the Fetch standard assigns to the body. The media type is `undefined` if the Fetch standard
   * assigns none.
   */
  readonly mediaType: string | undefined;
  /** True to send the body after `100 Continue` or a short wait. RFC 9110 §10.1.1. */
  readonly awaitsContinue: boolean;
  /** True for a body that can be read more than once, such as a string, bytes or a Blob. */
  readonly isRepeatable: boolean;
  readonly #open: () => RequestBodyReader;
  #isUsed = false;

  constructor({ open, size, mediaType, isRepeatable = false, awaitsContinue = false }: RequestBodyInit) {
    this.#open = open;
    this.size = size;
    this.mediaType = mediaType;
    this.isRepeatable = isRepeatable;
    this.awaitsContinue = awaitsContinue;
  }

  /**
   * Returns the body for a value of the option `body`. Copies a byte array, because the caller may change it later.
   * <https://fetch.spec.whatwg.org/#concept-bodyinit-extract>
   */
  static from(value: HttpRequestBody | RequestBodyWithType): RequestBodyWithType {
    if (value instanceof RequestBodyWithType) return value;
    if (typeof value === "string") return createBodyFromBytes(Buffer.from(value), "text/plain;charset=UTF-8");
    if (value instanceof URLSearchParams)
      return createBodyFromBytes(
        Buffer.from(value.toString()),
        "application/x-www-form-urlencoded;charset=UTF-8",
      );
    if (value instanceof FormData) {
      const { content, mediaType } = encodeMultipartForm(value);
      return createBodyFromBlob(content, mediaType);
    }
    if (value instanceof Blob) return createBodyFromBlob(value, value.type === "" ? undefined : value.type);
    if (ArrayBuffer.isView(value))
      return createBodyFromBytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice());
    if (isByteBuffer(value)) return createBodyFromBytes(new Uint8Array(value).slice());
    return new RequestBodyWithType({ open: () => readChunks(value) });
  }

  /** Creates the body of a PUT from an upload. The client waits for `100 Continue` before it sends the body. */
  static fromUpload({ chunks, size }: UploadChunksAndSize): RequestBodyWithType {
    return new RequestBodyWithType({ open: () => readChunks(chunks), size, awaitsContinue: size !== 0 });
  }

  /** True unless the body is a stream or an iterable that the client has begun to read. */
  get canBeSent(): boolean {
    return this.isRepeatable || !this.#isUsed;
  }

  /** The framing of the body for messages, as in `5 bytes` or `chunked`. */
  get framing(): string {
    return this.size === undefined ? "chunked" : `${this.size} bytes`;
  }

  /** Begins to read the request body. Throws `plugin` for a stream that the caller has locked. */
  open(): RequestBodyReader {
    this.#isUsed = true;
    try {
      return this.#open();
    } catch (cause) {
      throw createRequestBodyReadError(cause);
    }
  }
}

/**
 * Returns an error with the code `plugin` whose cause is the error of a body. An `AccessError` without a URL that the
 * body throws is returned unchanged, as for an error of a callback.
 */
export function createRequestBodyReadError(cause: unknown): AccessError {
  if (cause instanceof AccessError && cause.url === undefined) return cause;
  const init = { cause, isCallerCause: true };
  return new AccessError("plugin", "the client failed to read the body of the upload", init);
}

function createBodyFromBytes(bytes: Uint8Array, mediaType?: string): RequestBodyWithType {
  return new RequestBodyWithType({
    open: () => readChunks(splitBytes(bytes)),
    size: bytes.length,
    mediaType,
    isRepeatable: true,
  });
}

function* splitBytes(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += BODY_PART_BYTES) yield bytes.subarray(at, at + BODY_PART_BYTES);
}

function createBodyFromBlob(blob: Blob, mediaType: string | undefined): RequestBodyWithType {
  return new RequestBodyWithType({
    open: () => readBodyStream(blob.stream()),
    size: blob.size,
    mediaType,
    isRepeatable: true,
  });
}

function readChunks(
  chunks: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): RequestBodyReader {
  if (chunks instanceof ReadableStream) return readBodyStream(chunks);
  const iterator =
    Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  return {
    next: async () => {
      const { done, value } = await iterator.next();
      return done === true ? undefined : value;
    },
    // `cancel` does not wait until the iterator of the body has ended, because the iterator may wait for its source
    // forever.
    cancel: () => void (async () => iterator.return?.())().catch(() => undefined),
  };
}

function readBodyStream(stream: ReadableStream<Uint8Array>): RequestBodyReader {
  const reader = stream.getReader();
  return {
    next: async () => {
      const { done, value } = await reader.read();
      return done ? undefined : value;
    },
    cancel: (reason) => void reader.cancel(reason).catch(() => undefined),
  };
}

function isByteBuffer(value: object): value is ArrayBufferLike {
  return value instanceof ArrayBuffer || value instanceof SharedArrayBuffer;
}
