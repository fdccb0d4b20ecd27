import { AccessError, type Limits } from "@anyscheme/core";
import { serverText } from "@anyscheme/core/plugin";
import { latin1ToSingleLine } from "../protocol/text.ts";
import { ReplyPackets } from "./reply-packets.ts";
import { RequestPackets } from "./request-packets.ts";
import { type Packet, readPacket, writeCancel, writePacket } from "./packet.ts";
import { RetryTimer } from "./retry-timer.ts";

export interface ExchangeOptions {
  readonly message: Uint8Array;
  /** The connection id: a fresh one for each request, since servers keep replies by it. Not 0. */
  readonly cid: number;
  readonly limits: Limits;
  readonly nowMs: number;
  /** Whether the socket has had no other request, so that a reply without a connection id can only be to this one. Default false. */
  readonly isFirstRequest?: boolean;
}

/**
 * One request and its reply by ARDP, as a state machine: datagrams and the time go in, datagrams to send and bytes in order
 * come out. It has no socket and no timer.
 */
export class ArdpExchange {
  readonly cid: number;
  readonly #ids: ReadonlySet<number>;
  readonly #limits: Limits;
  readonly #outgoing: RequestPackets;
  readonly #incoming: ReplyPackets;
  #patience: RetryTimer;
  #toSend: Uint8Array[];
  #redirect: Packet["redirect"];
  #queue: Packet["queue"];

  constructor({ message, cid, limits, nowMs, isFirstRequest: alone = false }: ExchangeOptions) {
    this.cid = cid;
    // A server that was built for little-endian machines exchanges the bytes of the id from the second window on.
    this.#ids = new Set([cid, swapBytes(cid), ...(alone ? [0] : [])]);
    this.#limits = limits;
    this.#outgoing = new RequestPackets(cid, message);
    this.#incoming = new ReplyPackets(limits);
    this.#patience = new RetryTimer(limits, nowMs);
    this.#toSend = this.#outgoing.next();
  }

  /** The datagrams to send now. They are given once. */
  takeDatagrams(): Uint8Array[] {
    const datagrams = this.#toSend;
    this.#toSend = [];
    return datagrams;
  }

  /** The bytes of the reply that are next in order. They are given once. */
  takeChunk(): Uint8Array | undefined {
    return this.#incoming.takeChunk();
  }

  get isComplete(): boolean {
    return this.#incoming.isComplete;
  }

  /** Whether all of the reply has been given. */
  get isFullyRead(): boolean {
    return this.isComplete && !this.#incoming.hasUnreadChunks;
  }

  /** When to call `expire`, unless a datagram comes first. */
  get deadlineMs(): number {
    return this.#patience.deadlineMs;
  }

  /** Where the server sends us; it has to be checked before `moved` is called. */
  get redirect(): Packet["redirect"] {
    return this.#redirect;
  }

  /** What the server said last of its queue. */
  get queue(): Packet["queue"] {
    return this.#queue;
  }

  /** Takes in a datagram. Throws `unavailable`, `protocol`, `limit`. */
  receive(datagram: Uint8Array, nowMs: number): void {
    const packet = readPacket(datagram);
    if (!packet && (datagram[0] ?? 0) > 31) throw notArdpError(datagram);
    if (!packet || !this.#ids.has(packet.cid) || this.isComplete) return;
    if (packet.refused) throw new AccessError("unavailable", "the server refuses the request");
    this.#queue = packet.queue ?? this.#queue;
    if (packet.redirect) return this.#acceptRedirect(packet.redirect);
    const arrived = this.#outgoing.acknowledge(packet);
    const isNew = this.#incoming.add(packet);
    if (this.#incoming.hasStarted) this.#outgoing.acknowledgeAll();
    if (isNew || arrived) this.#patience.onProgress(nowMs);
    if (packet.waitSeconds !== undefined) this.#patience.onServerWait(packet.waitSeconds, nowMs);
    if (packet.pleaseAcknowledge) this.#toSend.push(this.#acknowledgement());
    this.#toSend.push(...this.#outgoing.next());
  }

  /** Tells that the deadline has come. Throws `timeout` when it was the last one. */
  onTimeout(nowMs: number): void {
    if (!this.#patience.onTimeout(nowMs)) return;
    // An acknowledgement makes a server go on behind it; one that has to begin anew is asked anew.
    const goesOn = this.#incoming.receivedThrough > 0;
    this.#toSend.push(...(goesOn ? [this.#acknowledgement()] : this.#outgoing.resend()));
  }

  /** Leaves out a time in which nobody wanted to hear anything. */
  pause(ms: number): void {
    this.#patience.pause(ms);
  }

  /** Asks the server that the redirect has named, under the same id. */
  restart(nowMs: number): void {
    this.#redirect = undefined;
    this.#patience = new RetryTimer(this.#limits, nowMs);
    this.#outgoing.restart();
    this.#toSend = this.#outgoing.next();
  }

  /** Gives the rest up: what to tell the server, if anything is to be expected of it. */
  cancel(): Uint8Array | undefined {
    return this.isComplete ? undefined : writeCancel(this.cid);
  }

  #acceptRedirect(redirect: Packet["redirect"]): void {
    if (this.#incoming.hasStarted)
      throw new AccessError("protocol", "the server redirects in the middle of its reply");
    this.#redirect = redirect;
  }

  #acknowledgement(): Uint8Array {
    const { receivedThrough } = this.#incoming;
    return writePacket({ cid: this.cid, number: 0, total: 0, receivedThrough });
  }
}

/** A connection id with its two bytes exchanged. */
function swapBytes(cid: number): number {
  return ((cid & 0xff) << 8) | (cid >> 8);
}

/** The predecessor of ARDP sent text without a header, and its servers still do so to whoever sends them none. */
function notArdpError(datagram: Uint8Array): AccessError {
  const words = latin1ToSingleLine(Buffer.from(datagram.subarray(0, 200)).toString("latin1"));
  return new AccessError("protocol", ["the server answers by another protocol: ", serverText(words)]);
}
