import { AccessError, type Step } from "@anyscheme/core";
import type { ByteSource } from "@anyscheme/core/plugin";
import type { SocketReader } from "@anyscheme/core/io";
import type { Conversation } from "../session/session.ts";
import { FtpReplyError } from "../control/reply-errors.ts";
import type { Reply } from "../control/reply.ts";

const NOOP_MS = 60_000;

export interface TransferInit {
  readonly begin: Step;
  /** Said now and then. */
  readonly noop: Step;
  /** The reply that confirms the end. */
  readonly confirm: readonly Step[];
  /** How many bytes have to come; `undefined` where the server does not tell. */
  readonly expected: number | undefined;
  /** How many bytes are wanted; the rest is given up. */
  readonly wanted: number | undefined;
  readonly noopMs: number | undefined;
  /** Frees the connection after a regular end. */
  rest(): void;
}

/**
 * The bytes of a data connection, up to the reply that confirms them. RFC 959 §5.4: without it the connection may have been
 * closed because the server failed, which looks the same.
 */
export class Transfer implements ByteSource {
  /** The reply that has confirmed the end; `undefined` before. */
  confirmation: Reply | undefined;
  readonly #talk: Conversation;
  readonly #data: SocketReader;
  readonly #init: TransferInit;
  #received = 0;
  #refused = false;
  #rested = false;
  #finished: Promise<void> | undefined;

  constructor(talk: Conversation, data: SocketReader, init: TransferInit) {
    this.#talk = talk;
    this.#data = data;
    this.#init = init;
    const { begin, noop, noopMs = NOOP_MS } = init;
    talk.context.beginStep(begin);
    if (noopMs !== Infinity) talk.connection.during(noopMs, () => talk.sayAside(noop));
    // What has arrived in the same turn is read before.
    talk.whenRefused(() => setImmediate(() => this.#refuse()));
  }

  async read(take: (bytes: Uint8Array) => boolean): Promise<"more" | "end"> {
    if (!this.#finished) {
      const { wanted = Infinity } = this.#init;
      const state = await this.#receive(wanted, take);
      if (this.#received >= wanted) {
        this.#finished = Promise.resolve(this.cancel());
      } else {
        if (state === "more") return "more";
        this.#finished = this.#finish();
      }
    }
    await this.#finished;
    return "end";
  }

  async #receive(wanted: number, take: (bytes: Uint8Array) => boolean): Promise<"more" | "end"> {
    try {
      return await this.#data.read((bytes) => {
        const part = bytes.subarray(0, wanted - this.#received);
        this.#received += part.length;
        const more = take(part) && this.#received < wanted;
        // Else what comes before the next read would have to be copied.
        if (!more) this.#data.socket.pause();
        return more;
      });
    } catch (error) {
      // The reply says why.
      if (this.#refused) return "end";
      throw error;
    }
  }

  /** The server has said that no more will come. Some leave the data connection open all the same. */
  #refuse(): void {
    if (this.#finished) return;
    this.#refused = true;
    this.#data.cancel();
  }

  cancel(): void {
    // The connection is somebody else's by now.
    if (this.#rested) return;
    this.#over();
    this.#data.cancel();
    this.#talk.connection.control.close();
  }

  #over(): void {
    const { connection } = this.#talk;
    connection.after();
    connection.control.onChange = undefined;
  }

  async #finish(): Promise<void> {
    const { confirm, expected = 0 } = this.#init;
    this.#over();
    this.#talk.transferred = true;
    await this.#confirmed(confirm);
    if (this.#received < expected) {
      this.#talk.connection.control.close();
      throw new AccessError("incomplete", `the server sent ${this.#received} of ${expected} bytes`);
    }
    this.#rested = true;
    this.#init.rest();
  }

  /** Waits for the reply to the whole transfer. */
  async #confirmed(confirm: readonly Step[]): Promise<void> {
    try {
      await this.#talk.perform(confirm);
      this.confirmation = this.#talk.last;
    } catch (error) {
      if (this.#received > 0 || !(error instanceof FtpReplyError) || !error.isEmptyListing)
        throw this.#withCounts(error);
    }
  }

  /** A transfer that the server or the connection broke off: the error says how many bytes had arrived. */
  #withCounts(error: unknown): unknown {
    if (!(error instanceof AccessError) || error.code !== "incomplete") return error;
    const { expected } = this.#init;
    const whole = expected === undefined ? "" : ` of ${expected}`;
    const advice = `${this.#received}${whole} bytes had arrived`;
    return new AccessError("incomplete", error.messageParts, { advice, cause: error.cause });
  }
}
