import { AccessError, type Completeness } from "@anyscheme/core";
import type { ByteSource } from "@anyscheme/core/plugin";
import type { HttpRequest } from "../request/http-request-head.ts";
import type { RunningBodyUpload } from "../request/upload.ts";
import {
  type HttpBodyFramingDecoder,
  createBodyFramingDecoder,
  type ReceivedByteCounter,
} from "../response/body-framing-decoder.ts";
import { ResponseHeadParser } from "../response/head-parser.ts";
import type { HttpResponseHead } from "../response/response-head.ts";
import type { HttpConnection } from "./http-connection.ts";

type ChunkCallback = (bytes: Uint8Array) => boolean;

/** A request and its response. The bytes of this `ByteSource` are the body of the response. */
export interface HttpResponseReader extends ByteSource {
  readonly request: Pick<HttpRequest, "method" | "isAuthorized">;
  /** The head of the final response. */
  readonly responseHead: HttpResponseHead;
  /** The length of the body in bytes, if the head of the response determines it. RFC 9112 §6.3. */
  readonly bodyLength: number | undefined;
  readonly completeness: Completeness;
  /** Discards the unread body. Releases the connection if the whole body has arrived, else closes it. */
  releaseOrClose(): void;
}

/** A request and its response on a connection. */
export class HttpExchange implements HttpResponseReader {
  readonly request: Pick<HttpRequest, "method" | "isAuthorized">;
  readonly #connection: HttpConnection;
  readonly #received: ReceivedByteCounter;
  readonly #parser: ResponseHeadParser;
  #head: HttpResponseHead | undefined;
  #body: HttpBodyFramingDecoder | undefined;
  #hasReceived = false;
  #isComplete = false;
  /**
   * The last result of the callback `onChunk`: false when the caller of `readChunks` needs no more bytes of the body.
   */
  #wantsMore = true;
  #failure: Error | undefined;
  /** The body of the request, while the client sends it. */
  #upload: RunningBodyUpload | undefined;
  /** Received bytes that no parser has consumed: at most one chunk of the connection. */
  #unread: Uint8Array | undefined;

  constructor(
    request: Pick<HttpRequest, "method" | "isAuthorized">,
    connection: HttpConnection,
    received: ReceivedByteCounter,
  ) {
    this.request = request;
    this.#connection = connection;
    this.#received = received;
    this.#parser = new ResponseHeadParser(received);
  }

  /** True when the server has sent at least one byte of the response. */
  get hasReceivedBytes(): boolean {
    return this.#hasReceived;
  }

  /** The head of the final response. The getter throws before `readHead` has read the head of the response. */
  get responseHead(): HttpResponseHead {
    if (!this.#head) throw new Error("the head of the response has not been read");
    return this.#head;
  }

  get bodyLength(): number | undefined {
    return this.#endsWithConnection ? undefined : this.#body?.length;
  }

  /**
   * Tells whether the end of the response body can be verified. A body that ends with the connection is `unverified`.
   * RFC 9112 §6.3.
   */
  get completeness(): Completeness {
    return this.#endsWithConnection ? "unverified" : "verified";
  }

  get #endsWithConnection(): boolean {
    return this.#body?.length === Infinity;
  }

  async readHead(): Promise<void> {
    while (!this.#head) await this.#receive((bytes) => this.#parseHead(bytes));
  }

  /**
   * Continues to send the body of the request while the response is read. A failed upload fails the response. The end
   * of the response stops the upload.
   */
  attachUpload(upload: RunningBodyUpload): void {
    if (this.#isComplete || this.#failure) {
      upload.stop(this.#failure);
      return;
    }
    this.#upload = upload;
    upload.completion.catch((error: unknown) => {
      if (!this.#isComplete) this.#fail(error);
    });
  }

  /**
   * Parses the bytes of the response that have arrived. Returns true when the head of the final response is complete.
   */
  async readArrivedBytes(): Promise<boolean> {
    if (!this.#head) {
      await this.#receive((bytes) => {
        this.#parseHead(bytes);
        return false;
      });
    }
    return this.#head !== undefined;
  }

  async readChunks(onChunk: ChunkCallback): Promise<"more" | "end"> {
    const body = this.#body;
    if (!body) throw this.#failure ?? new Error("the head of the response has not been read");
    this.#wantsMore = true;
    const deliver = (bytes: Uint8Array): boolean => (this.#wantsMore = onChunk(bytes));
    while (this.#wantsMore && !this.#isComplete) {
      const unread = this.#unread;
      if (unread) this.#decodeUnread(unread, body, deliver);
      else {
        await this.#receive((bytes) => {
          this.#unread = this.#decode(bytes, body, deliver);
          return this.#wantsMore && !this.#isComplete;
        });
      }
    }
    if (this.#failure) throw this.#failure;
    return this.#isComplete ? "end" : "more";
  }

  releaseOrClose(): void {
    const unread = this.#unread;
    try {
      if (this.#body && unread) this.#decodeUnread(unread, this.#body, () => true);
    } catch {
      // The client ignores a fault in a discarded body.
    }
    this.cancel();
  }

  cancel(): void {
    if (!this.#isComplete) this.#fail(new AccessError("aborted", "the transfer was cancelled"));
  }

  async #receive(onChunk: ChunkCallback): Promise<void> {
    if (this.#failure) throw this.#failure;
    try {
      const state = await this.#connection.reader.readChunks((bytes) => {
        this.#hasReceived = true;
        return onChunk(bytes);
      });
      if (state === "more" || this.#isComplete) return;
      if (!this.#endsWithConnection) throw new AccessError("incomplete", "the server closed the connection");
      this.#complete({ isReusable: false });
    } catch (error) {
      // The client ignores an error of the connection after the response is complete.
      if (!this.#isComplete) throw this.#fail(this.#addProgress(error));
    }
  }

  /** Adds the progress of the response to the message of the error for a lost connection. */
  #addProgress(error: unknown): unknown {
    if (!(error instanceof AccessError) || error.code !== "incomplete") return error;
    const { advice, cause } = error;
    const progress =
      this.#body?.progressText ??
      (this.#hasReceived ? "before the head of the response was complete" : "before it answered");
    return new AccessError("incomplete", [error.messageParts, ` ${progress}`].flat(), { advice, cause });
  }

  /** Parses the received part of the response head. Returns false when the response head is complete. */
  #parseHead(bytes: Uint8Array): boolean {
    const parsed = this.#parser.push(bytes);
    if (!parsed) return true;
    const { head, consumedBytes } = parsed;
    this.#body = createBodyFramingDecoder(head, this.request.method, this.#received);
    this.#head = head;
    if (consumedBytes < bytes.length) this.#unread = bytes.subarray(consumedBytes);
    else if (this.#body.isDone) this.#complete({ isReusable: isPersistent(head) });
    return false;
  }

  #decodeUnread(unread: Uint8Array, body: HttpBodyFramingDecoder, onChunk: ChunkCallback): void {
    this.#unread = undefined;
    try {
      this.#unread = this.#decode(unread, body, onChunk);
    } catch (error) {
      throw this.#fail(error);
    }
  }

  /**
   * Decodes the part of the body in `bytes` and passes it to `onChunk`. Returns the bytes that `onChunk` did not
   * accept. The connection is not reused when more bytes follow the body.
   */
  #decode(bytes: Uint8Array, body: HttpBodyFramingDecoder, onChunk: ChunkCallback): Uint8Array | undefined {
    const used = body.push(bytes, onChunk);
    if (!body.isDone) return used < bytes.length ? bytes.subarray(used) : undefined;
    this.#complete({ isReusable: used === bytes.length && isPersistent(this.responseHead) });
    return undefined;
  }

  #complete(state: { readonly isReusable: boolean }): void {
    if (state.isReusable) this.#connection.statedKeepAliveMs = parseKeepAliveMs(this.responseHead);
    this.#isComplete = true;
    this.#unread = undefined;
    this.#upload?.stop();
    this.#connection.release(state);
  }

  #fail(error: unknown): Error {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
    this.#unread = undefined;
    this.#upload?.stop(this.#failure);
    this.#connection.close();
    return this.#failure;
  }
}

/**
 * Returns the time of `Keep-Alive: timeout=N` in milliseconds, and `Infinity` for `Connection: keep-alive` alone.
 * `undefined` when the response has neither a Keep-Alive timeout nor `Connection: keep-alive`. RFC 2068 §19.7.1.
 */
function parseKeepAliveMs({ headers }: HttpResponseHead): number | undefined {
  const [, seconds] = /(?:^|[\s,])timeout="?(\d{1,9})/i.exec(headers["keep-alive"]?.join(",") ?? "") ?? [];
  if (seconds !== undefined) return Number(seconds) * 1000;
  return headers["connection"]?.some((value) => /(?:^|[\s,])keep-alive(?:$|[\s,])/i.test(value))
    ? Infinity
    : undefined;
}

// RFC 9112 §9.3. Not every HTTP/1.0 server that sends `keep-alive` implements it, so the client closes HTTP/1.0
// connections.
function isPersistent({ version, headers }: HttpResponseHead): boolean {
  const options = headers["connection"];
  return version === "1.1" && (!options || !/(?:^|[\s,])close(?:$|[\s,])/i.test(options.join(",")));
}
