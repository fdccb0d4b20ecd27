import { type Packet, writePacket } from "./packet.ts";

/** "Data per packet ≤ 1250 octets out". */
export const MAX_DATA_BYTES = 1_250;
/** "Window: sender sends up to 16 packets"; "256 is the ceiling" of what the other side may ask for. */
const WINDOW = 16;
const MAX_WINDOW = 256;

/** The packets of a request on their way out: a window at a time, repeated from the first one that is not acknowledged. */
export class RequestPackets {
  readonly #cid: number;
  readonly #pieces: readonly Uint8Array[];
  #window = WINDOW;
  #acknowledged = 0;
  /** The most that was ever acknowledged: a server may take an acknowledgement back. */
  #mostAcknowledged = 0;
  #sent = 0;

  constructor(cid: number, message: Uint8Array) {
    this.#cid = cid;
    const count = Math.max(1, Math.ceil(message.length / MAX_DATA_BYTES));
    this.#pieces = Array.from({ length: count }, (_, index) =>
      message.subarray(index * MAX_DATA_BYTES, (index + 1) * MAX_DATA_BYTES),
    );
  }

  get isAcknowledged(): boolean {
    return this.#acknowledged === this.#pieces.length;
  }

  /** What may be sent now and was not yet. */
  next(): Uint8Array[] {
    const end = Math.min(this.#pieces.length, this.#acknowledged + this.#window);
    const first = this.#sent;
    this.#sent = Math.max(first, end);
    return this.#pieces.slice(first, end).map((data, index) => this.#packet(first + index, end, data));
  }

  /** What was sent and is not acknowledged; the last packet of a request that is, so that the server answers again. */
  resend(): Uint8Array[] {
    this.#sent = Math.min(this.#acknowledged, this.#pieces.length - 1);
    if (!this.isAcknowledged) return this.next();
    const last = this.#sent++;
    return [this.#packet(last, this.#sent, this.#pieces[last])];
  }

  /** Takes in what a packet says of ours; tells whether more of them have arrived than before. */
  acknowledge({ receivedThrough, setsReceivedThrough, window }: Packet): boolean {
    if (window !== undefined) this.#window = Math.min(MAX_WINDOW, Math.max(1, window));
    if (receivedThrough === undefined || receivedThrough > this.#sent) return false;
    if (setsReceivedThrough) this.#sent = receivedThrough;
    this.#acknowledged = setsReceivedThrough
      ? receivedThrough
      : Math.max(this.#acknowledged, receivedThrough);
    const before = this.#mostAcknowledged;
    this.#mostAcknowledged = Math.max(before, receivedThrough);
    return receivedThrough > before;
  }

  /** All of it has arrived: a reply says so. */
  acknowledgeAll(): void {
    this.#acknowledged = this.#sent = this.#pieces.length;
  }

  /** Begins anew, for another server. */
  restart(): void {
    this.#acknowledged = this.#mostAcknowledged = this.#sent = 0;
  }

  #packet(index: number, end: number, data: Uint8Array = new Uint8Array(0)): Uint8Array {
    const total = this.#pieces.length;
    const pleaseAcknowledge = index + 1 === end && end < total;
    return writePacket({
      cid: this.#cid,
      number: index + 1,
      total,
      receivedThrough: 0,
      pleaseAcknowledge,
      data,
    });
  }
}
