import type { GatewayResponse } from "../http/messages.ts";
import type { Html } from "./html.ts";

/** The number of characters in one write. Lines of a menu are written in blocks. */
const BLOCK_LENGTH = 16_384;

/** Collects markup into blocks. Writes an incomplete block at the end of each event-loop turn. */
export class HtmlWriter {
  readonly #response: GatewayResponse;
  #pending = "";
  #flushTimer: NodeJS.Immediate | undefined;
  /** The write that the client has not yet received. */
  #writing: Promise<void> | undefined;

  constructor(response: GatewayResponse) {
    this.#response = response;
  }

  /** Writes markup. Resolves when more may be written. Rejects when the client has closed the connection. */
  async write(markup: Html): Promise<void> {
    this.#pending += markup.markup;
    if (this.#pending.length >= BLOCK_LENGTH) this.#flush();
    else this.#flushTimer ??= setImmediate(() => this.#flush());
    if (this.#writing) await this.#writing;
  }

  end(): void {
    clearImmediate(this.#flushTimer);
    this.#response.end(this.#pending);
  }

  #flush(): void {
    clearImmediate(this.#flushTimer);
    this.#flushTimer = undefined;
    if (this.#writing || this.#pending === "") return;
    const block = this.#pending;
    this.#pending = "";
    this.#writing = this.#response.write(block);
    const onWritten = (): void => {
      this.#writing = undefined;
      this.#flush();
    };
    // #writing remains after a failed write, so that the next `write` rejects.
    this.#writing.then(onWritten, () => undefined);
  }
}
