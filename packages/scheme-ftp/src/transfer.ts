import type { OctetSource } from "@anyscheme/core";
import type { Inflow } from "@anyscheme/core/wire";
import type { Session } from "./session.ts";

/**
 * The octets of a data connection, up to the reply that confirms them. RFC 959 §5.4: without it the connection may have been
 * closed because the server failed, which looks the same.
 */
export class Transfer implements OctetSource {
  readonly #session: Session;
  readonly #data: Inflow;
  #finished: Promise<void> | undefined;

  constructor(session: Session, data: Inflow) {
    this.#session = session;
    this.#data = data;
  }

  async read(take: (octets: Uint8Array) => boolean): Promise<"more" | "end"> {
    if (!this.#finished) {
      if ((await this.#data.read(take)) === "more") return "more";
      this.#finished = this.#session.finish();
    }
    await this.#finished;
    return "end";
  }

  cancel(): void {
    this.#data.cancel();
    this.#session.close();
  }
}
