import { AccessError } from "@anyscheme/core";
import { ArdpReplyReassembly } from "./reply-reassembly.ts";
import { ArdpSendWindow } from "./send-window.ts";
import { type ArdpPacket, parseArdpPacket, encodeCancelPacket, encodeArdpPacket } from "./packet.ts";
import { ArdpRetryDeadlines } from "./retry-timer.ts";
import type { ProsperoLimits } from "../scheme-options.ts";

export interface ArdpExchangeOptions {
  readonly message: Uint8Array;
  /**
   * The ARDP connection id, which must not be 0. Each request needs a new connection id, because Prospero servers store
   * replies by id.
   */
  readonly connectionId: number;
  readonly limits: ProsperoLimits;
  readonly nowMs: number;
}

/**
 * A request and its reply over ARDP, as a state machine without socket and timer. The caller passes received ARDP
 * datagrams and the time, and takes the datagrams to send and the bytes of the reply in order.
 */
export class ArdpExchangeStateMachine {
  readonly connectionId: number;
  readonly #ids: ReadonlySet<number>;
  readonly #limits: ProsperoLimits;
  readonly #request: ArdpSendWindow;
  readonly #reply: ArdpReplyReassembly;
  #timer: ArdpRetryDeadlines;
  #outgoing: Uint8Array[];
  /**
   * The Prospero server that an ARDP redirect names. The caller checks the address of the Prospero server before it
   * calls `resendToRedirectServer`.
   */
  redirectServer: ArdpPacket["redirectServer"];
  /** The position of the request in the Prospero server's queue, and the wait, that the server last reported. */
  queueState: ArdpPacket["queueState"];

  constructor({ message, connectionId, limits, nowMs }: ArdpExchangeOptions) {
    this.connectionId = connectionId;
    // A Prospero server built for little-endian machines swaps the bytes of the connection id after the first
    // window.
    this.#ids = new Set([connectionId, swapConnectionIdBytes(connectionId)]);
    this.#limits = limits;
    this.#request = new ArdpSendWindow(connectionId, message);
    this.#reply = new ArdpReplyReassembly(limits);
    this.#timer = new ArdpRetryDeadlines(limits, nowMs);
    this.#outgoing = this.#request.takeUnsentPackets();
  }

  /** Returns and removes the ARDP datagrams to send now. */
  takeDatagrams(): Uint8Array[] {
    const datagrams = this.#outgoing;
    this.#outgoing = [];
    return datagrams;
  }

  /** Returns and removes the next bytes of the Prospero reply, in order. */
  takeChunk(): Uint8Array | undefined {
    return this.#reply.takeChunk();
  }

  get isComplete(): boolean {
    return this.#reply.isComplete;
  }

  /** True when the caller has taken all bytes of the Prospero reply. */
  get isFullyRead(): boolean {
    return this.isComplete && !this.#reply.hasUnreadChunks;
  }

  /** The time in milliseconds at which the caller must call `onTimeout`, unless an ARDP datagram arrives first. */
  get deadlineMs(): number {
    return this.#timer.deadlineMs;
  }

  /**
   * Processes a datagram. Ignores a datagram without the connection id of the request, because every computer can send
   * one with the address of the server. Throws `unavailable`, `protocol`, `limit`.
   */
  receive(datagram: Uint8Array, nowMs: number): void {
    const packet = parseArdpPacket(datagram);
    if (!packet || !this.#ids.has(packet.connectionId)) return this.#timer.countIgnoredDatagram();
    if (this.isComplete) return;
    if (packet.isRequestRefused) throw new AccessError("unavailable", "the server refuses the request");
    this.queueState = packet.queueState ?? this.queueState;
    if (packet.redirectServer) {
      if (this.#reply.hasStarted)
        throw new AccessError("protocol", "the server redirects in the middle of its reply");
      this.redirectServer = packet.redirectServer;
      return;
    }
    const isAcknowledged = this.#request.processAcknowledgement(packet);
    const isNew = this.#reply.addPacket(packet);
    if (this.#reply.hasStarted) this.#request.markAllAcknowledged();
    if (isNew || isAcknowledged) this.#timer.onProgress(nowMs);
    if (packet.waitSeconds !== undefined) this.#timer.onServerWaitRequest(packet.waitSeconds, nowMs);
    if (packet.requestsAcknowledgement) this.#outgoing.push(this.#acknowledgement());
    this.#outgoing.push(...this.#request.takeUnsentPackets());
  }

  /**
   * Queues the datagrams that the client resends at the deadline. Throws `timeout` at the last deadline of the ARDP
   * request.
   */
  onTimeout(nowMs: number): void {
    if (!this.#timer.onTimeout(nowMs)) return;
    // If packets have arrived, the client repeats its acknowledgement, and otherwise the request.
    const hasReceived = this.#reply.receivedThrough > 0;
    this.#outgoing.push(...(hasReceived ? [this.#acknowledgement()] : this.#request.takePacketsToResend()));
  }

  /** Adds the time in which the caller did not read, in milliseconds, to the deadlines of the ARDP exchange. */
  extendDeadlines(ms: number): void {
    this.#timer.extendDeadlines(ms);
  }

  /** Queues the request again for the server of the redirect, with the same connection id. */
  resendToRedirectServer(nowMs: number): void {
    this.redirectServer = undefined;
    this.#timer = new ArdpRetryDeadlines(this.#limits, nowMs);
    this.#request.restartFromFirstPacket();
    this.#outgoing = this.#request.takeUnsentPackets();
  }

  /** Returns the datagram that cancels the rest of the reply, if the reply is not complete. */
  createCancelDatagram(): Uint8Array | undefined {
    return this.isComplete ? undefined : encodeCancelPacket(this.connectionId);
  }

  #acknowledgement(): Uint8Array {
    const { receivedThrough } = this.#reply;
    return encodeArdpPacket({
      connectionId: this.connectionId,
      packetNumber: 0,
      packetCount: 0,
      receivedThrough,
    });
  }
}

function swapConnectionIdBytes(connectionId: number): number {
  return ((connectionId & 0xff) << 8) | (connectionId >> 8);
}
