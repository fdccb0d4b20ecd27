import { AccessError, type Step } from "@anyscheme/core";
import type { Reply, SocketReader } from "@anyscheme/core/io";
import type { ByteSource } from "@anyscheme/core/plugin";
import { FtpReplyError } from "../control/reply-errors.ts";
import type { ReceivePhase } from "../plan/phases.ts";
import type { FtpSession } from "../session/session.ts";

const KEEP_ALIVE_INTERVAL_MS = 60_000;

interface TransferBodyInit {
  readonly receive: ReceivePhase;
  /** The number of bytes that must arrive; `undefined` if the server has not stated it. */
  readonly expectedBytes: number | undefined;
  /** The number of bytes that the caller requested. The data connection is closed after them. */
  readonly wantedBytes: number | undefined;
  readonly keepAliveIntervalMs: number | undefined;
  /** Called when the server has confirmed the end. */
  readonly onComplete: () => void;
}

/**
 * The bytes of a data connection, up to the reply that confirms them. RFC 959 §5.4: the end of the data connection
 * alone may also mean that the server failed.
 */
export class TransferBody implements ByteSource {
  /** The reply that has confirmed the end. */
  confirmation: Reply | undefined;
  readonly #session: FtpSession;
  readonly #data: SocketReader;
  readonly #init: TransferBodyInit;
  readonly #stopWatch: () => void;
  #received = 0;
  #isRefused = false;
  #isReleased = false;
  #finished: Promise<void> | undefined;

  constructor(session: FtpSession, data: SocketReader, init: TransferBodyInit) {
    this.#session = session;
    this.#data = data;
    this.#init = init;
    const { receive, keepAliveIntervalMs = KEEP_ALIVE_INTERVAL_MS } = init;
    session.context.beginStep(receive.body);
    session.startKeepAlive(keepAliveIntervalMs, receive.keepAlive);
    this.#stopWatch = session.watchTransfer(() => {
      // Data that arrived in the same event loop iteration is read first.
      if (session.isTransferRefused) setImmediate(() => this.#onRefusal());
    });
  }

  async read(onChunk: (bytes: Uint8Array) => boolean): Promise<"more" | "end"> {
    if (!this.#finished) {
      const { wantedBytes = Infinity } = this.#init;
      const state = await this.#receive(wantedBytes, onChunk);
      if (this.#received >= wantedBytes) {
        this.#finished = Promise.resolve(this.cancel());
      } else {
        if (state === "more") return "more";
        this.#finished = this.#finish();
      }
    }
    await this.#finished;
    return "end";
  }

  async #receive(wantedBytes: number, onChunk: (bytes: Uint8Array) => boolean): Promise<"more" | "end"> {
    try {
      return await this.#data.read((bytes) => {
        const part = bytes.subarray(0, wantedBytes - this.#received);
        this.#received += part.length;
        const wantsMore = onChunk(part) && this.#received < wantedBytes;
        // Bytes that arrive between reads would be copied, so the socket is paused.
        if (!wantsMore) this.#data.socket.pause();
        return wantsMore;
      });
    } catch (error) {
      // The reply has the reason.
      if (this.#isRefused) return "end";
      throw error;
    }
  }

  /** Ends the body after a refusal. Some servers do not close the data connection. */
  #onRefusal(): void {
    if (this.#finished) return;
    this.#isRefused = true;
    this.#data.cancel();
  }

  cancel(): void {
    // The session may already belong to another request.
    if (this.#isReleased) return;
    this.#stop();
    this.#data.cancel();
    this.#session.destroy();
  }

  #stop(): void {
    this.#session.stopKeepAlive();
    this.#stopWatch();
  }

  async #finish(): Promise<void> {
    const { receive, expectedBytes = 0, onComplete } = this.#init;
    this.#stop();
    this.#session.isDataComplete = true;
    await this.#expectCompletion(receive.completion);
    if (this.#received < expectedBytes) {
      this.#session.destroy();
      throw new AccessError("incomplete", `the server sent ${this.#received} of ${expectedBytes} bytes`);
    }
    this.#isReleased = true;
    onComplete();
  }

  async #expectCompletion(step: Step): Promise<void> {
    try {
      this.confirmation = await this.#session.expect(step);
    } catch (error) {
      if (this.#received === 0 && error instanceof FtpReplyError && error.isEmptyListing) return;
      throw this.#withByteCounts(error);
    }
  }

  #withByteCounts(error: unknown): unknown {
    if (!(error instanceof AccessError) || error.code !== "incomplete") return error;
    const { expectedBytes } = this.#init;
    const total = expectedBytes === undefined ? "" : ` of ${expectedBytes}`;
    const advice = `${this.#received}${total} bytes had arrived`;
    return new AccessError("incomplete", error.messageParts, { advice, cause: error.cause });
  }
}
