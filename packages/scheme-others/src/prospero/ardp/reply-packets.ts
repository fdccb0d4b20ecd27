import { AccessError, type Limits } from "@anyscheme/core";
import { limitError } from "@anyscheme/core/plugin";
import type { Packet } from "./packet.ts";

/** The packets of a reply, put in order. */
export class ReplyPackets {
  readonly #limits: Limits;
  readonly #early = new Map<number, Uint8Array>();
  readonly #ready: Uint8Array[] = [];
  #receivedThrough = 0;
  #total = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** All packets up to this one have come. */
  get receivedThrough(): number {
    return this.#receivedThrough;
  }

  /** Whether any packet of the reply has come. */
  get hasStarted(): boolean {
    return this.#receivedThrough > 0 || this.#early.size > 0;
  }

  get isComplete(): boolean {
    return this.#total > 0 && this.#receivedThrough === this.#total;
  }

  /** Whether there are bytes in order that have not been given yet. */
  get hasUnreadChunks(): boolean {
    return this.#ready.length > 0;
  }

  /** Takes a packet; tells whether it is a new one. Throws `protocol` and `limit`. */
  add({ number, total, data }: Packet): boolean {
    if (number === 0) return false;
    if (total) this.#setTotal(total);
    if (this.#total > 0 && number > this.#total) throw packetCountError(`packet ${number} of ${this.#total}`);
    if (number <= this.#receivedThrough || this.#early.has(number)) return false;
    this.#early.set(number, data);
    for (;;) {
      const next = this.#early.get(this.#receivedThrough + 1);
      if (!next) break;
      this.#receivedThrough++;
      this.#early.delete(this.#receivedThrough);
      if (next.length > 0) this.#ready.push(next);
    }
    if (this.#early.size > this.#limits.maxProsperoPackets)
      throw limitError(
        "maxProsperoPackets",
        this.#limits,
        "too many packets came before one that is missing",
      );
    return true;
  }

  /** The bytes that are next in order, and have not been given yet. */
  takeChunk(): Uint8Array | undefined {
    return this.#ready.shift();
  }

  #setTotal(total: number): void {
    if (total === this.#total) return;
    if (this.#total > 0) throw packetCountError(`${this.#total} packets in all, and then ${total}`);
    const last = Math.max(this.#receivedThrough, ...this.#early.keys());
    if (last > total) throw packetCountError(`packet ${last} of ${total}`);
    this.#total = total;
  }
}

function packetCountError(what: string): AccessError {
  return new AccessError("protocol", `the server counts its packets wrongly: ${what}`);
}
