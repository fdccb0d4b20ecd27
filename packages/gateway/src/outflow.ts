import type { Html } from "./html.ts";
import type { GatewayReply } from "./message.ts";

/** Written at a time: a write for each line of a menu would cost more than making it. */
const BLOCK_LENGTH = 16_384;

/** Collects markup into blocks on its way to the client, which is waited for. */
export class Outflow {
  readonly #reply: GatewayReply;
  #pending = "";

  constructor(reply: GatewayReply) {
    this.#reply = reply;
  }

  /** Resolves when there is room for more; most calls need not wait. */
  async write(markup: Html): Promise<void> {
    this.#pending += markup.markup;
    if (this.#pending.length < BLOCK_LENGTH) return;
    const block = this.#pending;
    this.#pending = "";
    await this.#reply.write(block);
  }

  /** Sends what is left. */
  end(): void {
    this.#reply.end(this.#pending);
  }
}
