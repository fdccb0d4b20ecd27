import { AccessError, type Limits } from "@anyscheme/core";
import { serverText } from "@anyscheme/core/plugin";
import { wordsOf } from "../protocol/text.ts";
import { Incoming } from "./reply-packets.ts";
import { Outgoing } from "./request-packets.ts";
import { type Packet, readPacket, writeCancel, writePacket } from "./packet.ts";
import { Patience } from "./retry-timer.ts";

export interface ConversationInit {
  readonly message: Uint8Array;
  /** The connection id: a fresh one for each request, since servers keep replies by it. Not 0. */
  readonly cid: number;
  readonly limits: Limits;
  readonly nowMs: number;
  /** Whether the socket has had no other request, so that a reply without a connection id can only be to this one. Default false. */
  readonly alone?: boolean;
}

/**
 * One request and its reply by ARDP, as a state machine: datagrams and the time go in, datagrams to send and bytes in order
 * come out. It has no socket and no timer.
 */
export class Conversation {
  readonly cid: number;
  readonly #ids: ReadonlySet<number>;
  readonly #limits: Limits;
  readonly #outgoing: Outgoing;
  readonly #incoming: Incoming;
  #patience: Patience;
  #toSend: Uint8Array[];
  #redirect: Packet["redirect"];
  #queue: Packet["queue"];

  constructor({ message, cid, limits, nowMs, alone = false }: ConversationInit) {
    this.cid = cid;
    // A server that was built for little-endian machines exchanges the bytes of the id from the second window on.
    this.#ids = new Set([cid, swapped(cid), ...(alone ? [0] : [])]);
    this.#limits = limits;
    this.#outgoing = new Outgoing(cid, message);
    this.#incoming = new Incoming(limits);
    this.#patience = new Patience(limits, nowMs);
    this.#toSend = this.#outgoing.next();
  }

  /** The datagrams to send now. They are given once. */
  send(): Uint8Array[] {
    const datagrams = this.#toSend;
    this.#toSend = [];
    return datagrams;
  }

  /** The bytes of the reply that are next in order. They are given once. */
  give(): Uint8Array | undefined {
    return this.#incoming.give();
  }

  get complete(): boolean {
    return this.#incoming.complete;
  }

  /** Whether all of the reply has been given. */
  get exhausted(): boolean {
    return this.complete && !this.#incoming.waiting;
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
    if (!packet && (datagram[0] ?? 0) > 31) throw otherProtocol(datagram);
    if (!packet || !this.#ids.has(packet.cid) || this.complete) return;
    if (packet.refused) throw new AccessError("unavailable", "the server refuses the request");
    this.#queue = packet.queue ?? this.#queue;
    if (packet.redirect) return this.#turn(packet.redirect);
    const arrived = this.#outgoing.heed(packet);
    const isNew = this.#incoming.take(packet);
    if (this.#incoming.begun) this.#outgoing.settle();
    if (isNew || arrived) this.#patience.progress(nowMs);
    if (packet.waitSeconds !== undefined) this.#patience.wait(packet.waitSeconds, nowMs);
    if (packet.pleaseAcknowledge) this.#toSend.push(this.#acknowledgement());
    this.#toSend.push(...this.#outgoing.next());
  }

  /** Tells that the deadline has come. Throws `timeout` when it was the last one. */
  expire(nowMs: number): void {
    if (!this.#patience.expire(nowMs)) return;
    // An acknowledgement makes a server go on behind it; one that has to begin anew is asked anew.
    const goesOn = this.#incoming.receivedThrough > 0;
    this.#toSend.push(...(goesOn ? [this.#acknowledgement()] : this.#outgoing.again()));
  }

  /** Leaves out a time in which nobody wanted to hear anything. */
  pause(ms: number): void {
    this.#patience.pause(ms);
  }

  /** Asks the server that the redirect has named, under the same id. */
  moved(nowMs: number): void {
    this.#redirect = undefined;
    this.#patience = new Patience(this.#limits, nowMs);
    this.#outgoing.restart();
    this.#toSend = this.#outgoing.next();
  }

  /** Gives the rest up: what to tell the server, if anything is to be expected of it. */
  cancel(): Uint8Array | undefined {
    return this.complete ? undefined : writeCancel(this.cid);
  }

  #turn(redirect: Packet["redirect"]): void {
    if (this.#incoming.begun)
      throw new AccessError("protocol", "the server redirects in the middle of its reply");
    this.#redirect = redirect;
  }

  #acknowledgement(): Uint8Array {
    const { receivedThrough } = this.#incoming;
    return writePacket({ cid: this.cid, number: 0, total: 0, receivedThrough });
  }
}

/** A connection id with its two bytes exchanged. */
function swapped(cid: number): number {
  return ((cid & 0xff) << 8) | (cid >> 8);
}

/** The predecessor of ARDP sent text without a header, and its servers still do so to whoever sends them none. */
function otherProtocol(datagram: Uint8Array): AccessError {
  const words = wordsOf(Buffer.from(datagram.subarray(0, 200)).toString("latin1"));
  return new AccessError("protocol", ["the server answers by another protocol: ", serverText(words)]);
}
