import { AccessError } from "../errors/access-error.ts";
import { createLimitError, type CoreLimits } from "../policy/limits.ts";
import type { Socket } from "../network/guard-context.ts";
import type { ByteSource } from "../scheme/context.ts";

interface PendingRead {
  readonly onChunk: (bytes: Uint8Array) => boolean;
  readonly resolve: (state: "more" | "end") => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads from a socket on demand. The reader receives at most one buffer before the caller reads. Reading ends when the
 * peer closes its side, and fails after a reset. The wait for the first bytes and every later pause have a time limit.
 */
export class SocketReader implements ByteSource {
  readonly socket: Socket;
  #limits: CoreLimits;
  #hasReceived = false;
  #hasEnded = false;
  #failure: unknown;
  /** The bytes that were put back by `unread`, or that arrived while no read was pending. */
  #unread: Uint8Array[] = [];
  #pending: PendingRead | undefined;
  /**
   * The timer of the current time limit of reading. The timer keeps running between reads, and has no effect while no
   * read is pending.
   */
  #timer: NodeJS.Timeout | undefined;
  #timerLimit: "idleTimeoutMs" | "firstByteTimeoutMs" = "firstByteTimeoutMs";
  #onReadable: (() => void) | undefined;

  constructor(socket: Socket, limits: CoreLimits) {
    this.socket = socket;
    this.#limits = limits;
    // The socket stays paused until the first read, because a flowing socket closes its own side when the peer closes,
    // even during an upload.
    socket.pause();
    socket.on("data", (chunk: Uint8Array) => {
      if (!this.#receive(chunk)) socket.pause();
    });
    socket.on("end", () => this.#end());
    socket.on("error", (cause) =>
      this.#fail(() => new AccessError("incomplete", "the connection broke", { cause })),
    );
    socket.on("close", () => this.#fail(() => new AccessError("incomplete", "the connection was closed")));
  }

  /** True until the peer closes its side, the connection breaks, or the socket is destroyed. */
  get isOpen(): boolean {
    return this.#failure === undefined && !this.#hasEnded && !this.socket.destroyed;
  }

  /** True while the connection is open and all received bytes have been read. */
  get isIdle(): boolean {
    return this.isOpen && !this.hasBufferedBytes;
  }

  /** True when received bytes are unread. The connection may have ended after the unread bytes. */
  get hasBufferedBytes(): boolean {
    return this.#unread.length > 0;
  }

  /**
   * Applies the limits of the next request on this connection. After the call, `firstByteTimeoutMs` applies again to
   * the wait for the first bytes.
   */
  resetLimits(limits: CoreLimits): void {
    this.#limits = limits;
    this.#hasReceived = false;
    this.#stopTimer();
  }

  /** Waits, without reading, until bytes arrive or the connection ends, at most `ms` milliseconds. */
  waitReadable(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (!this.isIdle) {
      resolve();
      return promise;
    }
    const timer = ms === Infinity ? undefined : setTimeout(() => this.#onReadable?.(), ms);
    this.#onReadable = () => {
      this.#onReadable = undefined;
      clearTimeout(timer);
      resolve();
    };
    this.socket.resume();
    return promise;
  }

  readChunks(onChunk: (bytes: Uint8Array) => boolean): Promise<"more" | "end"> {
    if (this.#pending) return Promise.reject(new Error("a read is pending already"));
    try {
      for (let bytes = this.#unread.shift(); bytes; bytes = this.#unread.shift())
        if (!onChunk(bytes)) return Promise.resolve("more");
    } catch (error) {
      return Promise.reject(error);
    }
    if (this.#hasEnded) return Promise.resolve("end");
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const { promise, resolve, reject } = Promise.withResolvers<"more" | "end">();
    this.#pending = { onChunk, resolve, reject };
    this.#startTimer();
    this.socket.resume();
    return promise;
  }

  /** Puts bytes back in front of the unread bytes. */
  unread(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#unread.unshift(bytes);
  }

  cancel(): void {
    this.#unread = [];
    this.socket.destroy();
    this.#fail(() => new AccessError("aborted", "the transfer was cancelled"));
  }

  /**
   * Takes received bytes, and returns true when the socket continues to receive. The socket also continues to receive
   * after the last bytes of a read, because most callers read again before the next bytes arrive.
   */
  #receive(bytes: Uint8Array): boolean {
    const isFirst = !this.#hasReceived;
    this.#hasReceived = true;
    if (!this.#pending) {
      this.#unread.push(bytes);
      this.#onReadable?.();
      return false;
    }
    try {
      if (!this.#pending.onChunk(bytes)) this.#takePending()?.resolve("more");
      else if (isFirst && this.#pending) this.#startTimer();
      else this.#timer?.refresh();
    } catch (error) {
      this.#takePending()?.reject(error);
    }
    return true;
  }

  #end(): void {
    if (this.#failure !== undefined) return;
    this.#hasEnded = true;
    this.#stopTimer();
    this.#onReadable?.();
    this.#takePending()?.resolve("end");
  }

  #fail(error: () => AccessError): void {
    if (this.#hasEnded) return;
    this.#failure ??= error();
    this.#stopTimer();
    this.#onReadable?.();
    this.#takePending()?.reject(this.#failure);
  }

  #takePending(): PendingRead | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    return pending;
  }

  #startTimer(): void {
    const limit = this.#hasReceived ? "idleTimeoutMs" : "firstByteTimeoutMs";
    if (this.#timer && limit === this.#timerLimit) {
      this.#timer.refresh();
      return;
    }
    this.#stopTimer();
    this.#timerLimit = limit;
    const ms = this.#limits[limit];
    // The socket of a pending read prevents the process from exiting, not the timer.
    if (ms !== Infinity) this.#timer = setTimeout(() => this.#exceedTimeLimit(), ms).unref();
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #exceedTimeLimit(): void {
    this.#timer = undefined;
    if (!this.#pending) return;
    const reason = this.#hasReceived ? "the server stopped sending data" : "the server did not answer";
    this.socket.destroy();
    this.#fail(() => createLimitError(this.#timerLimit, this.#limits, reason));
  }
}
