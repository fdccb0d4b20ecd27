import { AccessError, type OctetSource, type Step } from "@anyscheme/core";
import type { Inflow } from "@anyscheme/core/wire";
import type { Conversation } from "./conversation.ts";

const NOOP_MS = 60_000;

export interface TransferInit {
  /** What is performed during the transfer: the `transfer`, NOOP, and the reply that confirms the end. */
  readonly steps: readonly Step[];
  /** How many octets have to come; `undefined` where the server does not tell. */
  readonly expected: number | undefined;
  /** How many octets are wanted; the rest is given up. */
  readonly wanted: number | undefined;
  readonly noopMs: number | undefined;
  /** Frees the connection after a regular end. */
  rest(): void;
}

/**
 * The octets of a data connection, up to the reply that confirms them. RFC 959 §5.4: without it the connection may have been
 * closed because the server failed, which looks the same.
 */
export class Transfer implements OctetSource {
  readonly #talk: Conversation;
  readonly #data: Inflow;
  readonly #init: TransferInit;
  readonly #noop: NodeJS.Timeout | undefined;
  #received = 0;
  #rested = false;
  #finished: Promise<void> | undefined;

  constructor(talk: Conversation, data: Inflow, init: TransferInit) {
    this.#talk = talk;
    this.#data = data;
    this.#init = init;
    const { steps, noopMs = NOOP_MS } = init;
    for (const step of steps.slice(0, 1)) talk.context.enter(step);
    const noop = steps.find(({ action }) => action === "send");
    if (!noop || noopMs === Infinity) return;
    this.#noop = setInterval(() => talk.sayAside(noop), noopMs);
    this.#noop.unref();
  }

  async read(take: (octets: Uint8Array) => boolean): Promise<"more" | "end"> {
    if (!this.#finished) {
      const { wanted = Infinity } = this.#init;
      const state = await this.#data.read((octets) => {
        const part = octets.subarray(0, wanted - this.#received);
        this.#received += part.length;
        return take(part) && this.#received < wanted;
      });
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

  cancel(): void {
    clearInterval(this.#noop);
    // The connection is somebody else's by now.
    if (this.#rested) return;
    this.#data.cancel();
    this.#talk.connection.control.close();
  }

  async #finish(): Promise<void> {
    clearInterval(this.#noop);
    const { steps, expected = 0 } = this.#init;
    this.#talk.transferred = true;
    await this.#talk.perform(steps.filter(({ action }) => action === "expect"));
    if (this.#received < expected) {
      this.#talk.connection.control.close();
      throw new AccessError("incomplete", `the server sent ${this.#received} of ${expected} octets`);
    }
    this.#rested = true;
    this.#init.rest();
  }
}
