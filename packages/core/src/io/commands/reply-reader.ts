import { AccessError } from "../../errors/access-error.ts";
import { createLimitError, type CoreLimits } from "../../policy/limits.ts";
import { raceAbort } from "../abort.ts";
import type { Reply, ReplyParser, ReplyTimeoutLimitName } from "./command-reply-connection-types.ts";
import type { SocketReader } from "../socket-reader.ts";

interface ReplyReaderInit<R extends Reply> {
  createParser(limits: CoreLimits): ReplyParser<R>;
  /** The name of the connection in error messages. */
  readonly connectionName: string;
  /** Returns true for a reply that must be dropped instead of queued. */
  shouldDropReply(reply: R): boolean;
}

/** Reads replies from a socket, and queues the replies that arrive before a step expects them. */
export class ReplyReader<R extends Reply> {
  readonly #init: ReplyReaderInit<R>;
  #limits: CoreLimits;
  #reader: SocketReader;
  #parser: ReplyParser<R>;
  #queue: R[] = [];
  #queuedBytes = 0;
  #receiving: Promise<void> | undefined;
  #endWait: (() => void) | undefined;
  #failure: Error | undefined;
  #count = 0;

  constructor(reader: SocketReader, limits: CoreLimits, init: ReplyReaderInit<R>) {
    this.#init = init;
    this.#reader = reader;
    this.#limits = limits;
    this.#parser = init.createParser(limits);
  }

  /** Sets the reader of the socket's bytes, for example after TLS has started. */
  set reader(reader: SocketReader) {
    this.#reader = reader;
    this.#parser = this.#init.createParser(this.#limits);
  }

  get reader(): SocketReader {
    return this.#reader;
  }

  get queuedReplies(): readonly R[] {
    return this.#queue;
  }

  /** The number of replies since the last call of {@link reset}. */
  get replyCount(): number {
    return this.#count;
  }

  /** The received part of an incomplete reply. */
  get partialReply(): string {
    return this.#parser.partialReply;
  }

  get isOpen(): boolean {
    return this.#failure === undefined && this.#reader.isOpen;
  }

  /** True when the connection is open and has no unread bytes or replies. */
  get isIdle(): boolean {
    return this.isOpen && this.#reader.isIdle && this.partialReply === "" && this.#queue.length === 0;
  }

  /** Resets the number of replies and sets the limits for another request. */
  reset(limits: CoreLimits): void {
    this.#limits = limits;
    this.#reader.resetLimits(limits);
    this.#parser = this.#init.createParser(limits);
    this.#count = 0;
  }

  takeQueuedReply(): R | undefined {
    const reply = this.#queue.shift();
    if (reply) this.#queuedBytes -= reply.text.length;
    return reply;
  }

  /** Waits for the next reply of the server. A reply that arrives after an abort is queued. */
  async nextReply(timeout: ReplyTimeoutLimitName, signal?: AbortSignal): Promise<R> {
    this.cancelWait();
    for (let reply = this.takeQueuedReply(); ; reply = this.takeQueuedReply()) {
      if (reply) return reply;
      signal?.throwIfAborted();
      if (this.#failure) throw this.#failure;
      this.#receiving ??= this.#receive(timeout).finally(() => (this.#receiving = undefined));
      await (signal ? raceAbort(this.#receiving, signal) : this.#receiving);
    }
  }

  /** Waits until a further reply is queued, the connection is lost, or the wait is cancelled. */
  async waitUntilReplyArrives(): Promise<void> {
    const { length } = this.#queue;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endWait = resolve;
    while (this.isOpen && this.#queue.length === length) {
      await Promise.race([promise, this.#reader.waitReadable(Infinity)]);
      if (this.#endWait !== resolve) return;
      this.parseUnread();
    }
    this.#endWait = undefined;
  }

  cancelWait(): void {
    this.#endWait?.();
    this.#endWait = undefined;
  }

  /** Queues the replies that have arrived, without waiting for more. */
  parseUnread(): void {
    while (this.#failure === undefined && this.#reader.hasBufferedBytes) {
      void this.#reader.readChunks((bytes) => {
        try {
          for (let rest = bytes; rest.length > 0;) {
            const { reply, usedBytes } = this.#parser.push(rest);
            rest = rest.subarray(usedBytes);
            if (reply) this.#add(reply);
          }
        } catch (error) {
          this.fail(error);
        }
        return false;
      });
    }
  }

  /**
   * Stores the first failure and closes the connection. The replies that arrived before the failure can still be read.
   */
  fail(error: unknown): void {
    if (error instanceof AccessError && error.code === "incomplete") {
      const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
      this.#failure ??= this.#lostError(code ?? "it was closed", error.cause);
    } else this.#failure ??= error as Error;
    this.#reader.cancel();
  }

  /**
   * Reads bytes up to the end of one reply. The bytes after the reply stay in the reader, because a data block may
   * follow the reply.
   */
  async #receive(timeout: ReplyTimeoutLimitName): Promise<void> {
    if (timeout === "firstByteTimeoutMs") this.#reader.resetLimits(this.#limits);
    let isComplete = false;
    const state = await this.#reader
      .readChunks((bytes) => {
        const { reply, usedBytes } = this.#parser.push(bytes);
        isComplete = reply !== undefined;
        if (usedBytes < bytes.length) this.#reader.unread(bytes.subarray(usedBytes));
        if (reply) this.#add(reply);
        return !isComplete;
      })
      .catch((error: unknown) => this.fail(error));
    if (state === "end" && !isComplete) this.fail(this.#lostError("the server closed it"));
    if (this.#failure && this.#queue.length === 0) throw this.#failure;
  }

  #add(reply: R): void {
    this.#count++;
    if (this.#init.shouldDropReply(reply)) return;
    this.#queue.push(reply);
    this.#queuedBytes += reply.text.length;
    if (this.#queuedBytes > this.#limits.maxReplyBytes)
      throw createLimitError("maxReplyBytes", this.#limits, "the server sends replies without a command");
  }

  #lostError(reason: string, cause?: unknown): AccessError {
    const message = `the ${this.#init.connectionName} was lost: ${reason}`;
    const hasReceived = this.#count > 0 || this.partialReply !== "";
    return new AccessError(hasReceived ? "incomplete" : "unavailable", message, { cause, isTemporary: true });
  }
}
