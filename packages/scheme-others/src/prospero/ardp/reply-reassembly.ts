import { AccessError } from "@anyscheme/core";
import { createLimitError } from "@anyscheme/core/plugin";
import type { ArdpPacket } from "./packet.ts";
import type { ProsperoLimits } from "../scheme-options.ts";

/** Reorders the ARDP packets of a Prospero reply. */
export class ArdpReplyReassembly {
  readonly #limits: ProsperoLimits;
  readonly #outOfOrder = new Map<number, Uint8Array>();
  readonly #chunks: Uint8Array[] = [];
  #total = 0;
  /** The number of the last packet of the ARDP reply before the first missing packet. */
  receivedThrough = 0;

  constructor(limits: ProsperoLimits) {
    this.#limits = limits;
  }

  /** True when a packet of the ARDP reply has arrived. */
  get hasStarted(): boolean {
    return this.receivedThrough > 0 || this.#outOfOrder.size > 0;
  }

  get isComplete(): boolean {
    return this.#total > 0 && this.receivedThrough === this.#total;
  }

  /** True when the next bytes of the Prospero reply, in order, have arrived and are not yet taken. */
  get hasUnreadChunks(): boolean {
    return this.#chunks.length > 0;
  }

  /**
   * Adds a packet. Returns false for a reply packet that has already arrived, and for a control packet. Throws
   * `protocol` and `limit`.
   */
  addPacket({ packetNumber, packetCount, data }: ArdpPacket): boolean {
    if (packetNumber === 0) return false;
    if (packetCount) this.#setTotal(packetCount);
    if (this.#total > 0 && packetNumber > this.#total)
      throw createPacketNumbersError(`packet ${packetNumber} of ${this.#total}`);
    if (packetNumber <= this.receivedThrough || this.#outOfOrder.has(packetNumber)) return false;
    this.#outOfOrder.set(packetNumber, data);
    for (;;) {
      const next = this.#outOfOrder.get(this.receivedThrough + 1);
      if (!next) break;
      this.receivedThrough++;
      this.#outOfOrder.delete(this.receivedThrough);
      if (next.length > 0) this.#chunks.push(next);
    }
    if (this.#outOfOrder.size > this.#limits.maxProsperoPackets)
      throw createLimitError(
        "maxProsperoPackets",
        this.#limits,
        "too many packets arrived while an earlier packet was missing",
      );
    return true;
  }

  /** Returns and removes the next bytes of the Prospero reply, in order. */
  takeChunk(): Uint8Array | undefined {
    return this.#chunks.shift();
  }

  #setTotal(total: number): void {
    if (total === this.#total) return;
    if (this.#total > 0)
      throw createPacketNumbersError(`the packet count was ${this.#total}, and then ${total}`);
    const last = Math.max(this.receivedThrough, ...this.#outOfOrder.keys());
    if (last > total) throw createPacketNumbersError(`packet ${last} of ${total}`);
    this.#total = total;
  }
}

function createPacketNumbersError(details: string): AccessError {
  return new AccessError("protocol", `the server sends contradictory packet numbers: ${details}`);
}
