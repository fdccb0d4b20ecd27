import { type ArdpPacket, encodeArdpPacket } from "./packet.ts";

/** The largest number of data bytes in an ARDP packet of a request. */
export const MAX_PACKET_DATA_BYTES = 1_250;
/**
 * The default number of packets that the client sends before an acknowledgement. A server may request a window of up to
 * 256 ARDP packets.
 */
const DEFAULT_WINDOW_PACKETS = 16;
const MAX_WINDOW_PACKETS = 256;

/**
 * Splits a Prospero request into ARDP packets. Returns the packets to send: one window of packets at a time, and for a
 * repetition the packets from the first packet without an acknowledgement.
 */
export class ArdpSendWindow {
  readonly #connectionId: number;
  readonly #payloads: readonly Uint8Array[];
  #window = DEFAULT_WINDOW_PACKETS;
  #acknowledged = 0;
  /**
   * The highest packet number of the request that the Prospero server has acknowledged. An ARDP server may later
   * acknowledge a lower packet number.
   */
  #mostAcknowledged = 0;
  #sent = 0;

  constructor(connectionId: number, message: Uint8Array) {
    this.#connectionId = connectionId;
    const count = Math.max(1, Math.ceil(message.length / MAX_PACKET_DATA_BYTES));
    this.#payloads = Array.from({ length: count }, (_, index) =>
      message.subarray(index * MAX_PACKET_DATA_BYTES, (index + 1) * MAX_PACKET_DATA_BYTES),
    );
  }

  get isAcknowledged(): boolean {
    return this.#acknowledged === this.#payloads.length;
  }

  /** Returns the request packets in the send window that have not been sent. */
  takeUnsentPackets(): Uint8Array[] {
    const end = Math.min(this.#payloads.length, this.#acknowledged + this.#window);
    const first = this.#sent;
    this.#sent = Math.max(first, end);
    return this.#payloads.slice(first, end).map((data, index) => this.#packet(first + index, end, data));
  }

  /**
   * Returns the ARDP packets of the request that the server has not acknowledged. If all ARDP packets are acknowledged,
   * returns the last packet again, so that the server repeats its reply.
   */
  takePacketsToResend(): Uint8Array[] {
    this.#sent = Math.min(this.#acknowledged, this.#payloads.length - 1);
    if (!this.isAcknowledged) return this.takeUnsentPackets();
    const last = this.#sent++;
    return [this.#packet(last, this.#sent, this.#payloads[last])];
  }

  /**
   * Processes the acknowledgement in a received ARDP packet. Returns true if this ARDP acknowledgement is higher than
   * all earlier acknowledgements.
   */
  processAcknowledgement({ receivedThrough, mayLowerReceivedThrough, windowPackets }: ArdpPacket): boolean {
    if (windowPackets !== undefined) this.#window = Math.min(MAX_WINDOW_PACKETS, Math.max(1, windowPackets));
    if (receivedThrough === undefined || receivedThrough > this.#sent) return false;
    if (mayLowerReceivedThrough) this.#sent = receivedThrough;
    this.#acknowledged = mayLowerReceivedThrough
      ? receivedThrough
      : Math.max(this.#acknowledged, receivedThrough);
    const before = this.#mostAcknowledged;
    this.#mostAcknowledged = Math.max(before, receivedThrough);
    return receivedThrough > before;
  }

  /** Marks all packets as acknowledged, because the beginning of the reply acknowledges the whole request. */
  markAllAcknowledged(): void {
    this.#acknowledged = this.#sent = this.#payloads.length;
  }

  /** Marks all packets of the ARDP request as unsent, to send the request to another server. */
  restartFromFirstPacket(): void {
    this.#acknowledged = this.#mostAcknowledged = this.#sent = 0;
  }

  #packet(index: number, end: number, data: Uint8Array = new Uint8Array(0)): Uint8Array {
    const total = this.#payloads.length;
    const pleaseAcknowledge = index + 1 === end && end < total;
    return encodeArdpPacket({
      connectionId: this.#connectionId,
      packetNumber: index + 1,
      packetCount: total,
      receivedThrough: 0,
      requestsAcknowledgement: pleaseAcknowledge,
      data,
    });
  }
}
