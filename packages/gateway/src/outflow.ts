import type { Html } from "./html.ts";
import type { GatewayReply } from "./message.ts";

/** Written at a time: a write for each line of a menu would cost more than making it. */
const BLOCK_LENGTH = 16_384;

/** Collects markup into blocks on its way to the client, which is waited for. What is left at the end of a turn goes out with it. */
export class Outflow {
  readonly #reply: GatewayReply;
  #pending = "";
  #atTurnEnd: NodeJS.Immediate | undefined;
  /** The block that the client has not taken yet. */
  #sending: Promise<void> | undefined;

  constructor(reply: GatewayReply) {
    this.#reply = reply;
  }

  /** Resolves when there is room for more; most calls need not wait. Rejects when the client has gone. */
  async write(markup: Html): Promise<void> {
    this.#pending += markup.markup;
    if (this.#pending.length >= BLOCK_LENGTH) this.#send();
    else this.#atTurnEnd ??= setImmediate(() => this.#send());
    if (this.#sending) await this.#sending;
  }

  /** Sends what is left. */
  end(): void {
    clearImmediate(this.#atTurnEnd);
    this.#reply.end(this.#pending);
  }

  #send(): void {
    clearImmediate(this.#atTurnEnd);
    this.#atTurnEnd = undefined;
    // What is collected meanwhile follows behind it.
    if (this.#sending || this.#pending === "") return;
    const block = this.#pending;
    this.#pending = "";
    const sending = this.#reply.write(block);
    this.#sending = sending;
    const settled = (): void => {
      this.#sending = undefined;
      this.#send();
    };
    // A failure is told to the next write, or to the one that waits.
    sending.then(settled, () => undefined);
  }
}
