import { AccessError } from "@anyscheme/core";
import { createLimitError } from "@anyscheme/core/plugin";
import type { ProsperoLimits } from "../scheme-options.ts";

/** The timeouts of the first attempt and the three retries, in milliseconds. */
const RETRANSMISSION_TIMEOUTS_MS = [4_000, 8_000, 16_000, 32_000] as const;

/**
 * Computes when the client sends an ARDP request again, and when the request fails. The caller of the methods passes
 * the current time in milliseconds.
 */
export class ArdpRetryDeadlines {
  readonly #limits: ProsperoLimits;
  #attempt = 0;
  /** The time at which the last new ARDP packet arrived, or the request was sent. */
  #progressMs: number;
  #retryMs: number;
  #hasReceivedReply = false;
  #isServerWaiting = false;
  #ignoredDatagrams = 0;

  constructor(limits: ProsperoLimits, nowMs: number) {
    this.#limits = limits;
    this.#progressMs = nowMs;
    this.#retryMs = nowMs + RETRANSMISSION_TIMEOUTS_MS[0];
  }

  /** The time in milliseconds at which the caller must call `onTimeout` for the ARDP request. */
  get deadlineMs(): number {
    return Math.min(this.#retryMs, this.#progressMs + this.#limits[this.#limit]);
  }

  /**
   * Resets the retry timeouts after a new ARDP packet or acknowledgement. Ends the wait that the Prospero server
   * requested.
   */
  onProgress(nowMs: number): void {
    this.#hasReceivedReply = true;
    this.#isServerWaiting = false;
    this.#progressMs = nowMs;
    this.#restart(nowMs, 0);
  }

  /**
   * Restarts the timer when the server requests a wait, in seconds. The next timeout of the ARDP request is the
   * requested wait or the first timeout, whichever is longer. A requested wait also resets the number of used retries
   * of the ARDP request to zero. If the server requests a wait of 0 seconds, a longer timeout of the ARDP request ends.
   */
  onServerWaitRequest(seconds: number, nowMs: number): void {
    this.#isServerWaiting ||= seconds > 0;
    if (seconds > 0) this.#restart(nowMs, seconds * 1_000);
    else this.#retryMs = Math.min(this.#retryMs, nowMs + this.#timeoutMs);
  }

  /** Counts a datagram that the ARDP exchange ignored, for the message of the timeout. */
  countIgnoredDatagram(): void {
    this.#ignoredDatagrams++;
  }

  /** Adds the time in which the caller did not read, in milliseconds, to the deadlines of the ARDP exchange. */
  extendDeadlines(ms: number): void {
    this.#progressMs += ms;
    this.#retryMs += ms;
  }

  /**
   * Starts the next attempt to send an ARDP request. Returns false before the deadline of the current attempt. Throws
   * `timeout` after the last attempt, or at a time limit of the client.
   */
  onTimeout(nowMs: number): boolean {
    const limit = this.#limit;
    const reason = this.#hasReceivedReply ? "the server stopped answering" : "the server did not answer";
    if (nowMs >= this.#progressMs + this.#limits[limit]) {
      throw createLimitError(
        limit,
        this.#limits,
        `${this.#isServerWaiting ? "the server requested too long a wait" : reason}${this.#ignoredText}`,
      );
    }
    if (nowMs < this.#retryMs) return false;
    this.#attempt++;
    if (this.#attempt === RETRANSMISSION_TIMEOUTS_MS.length)
      throw new AccessError("timeout", `${reason} after ${this.#attempt} attempts${this.#ignoredText}`);
    this.#retryMs = nowMs + this.#timeoutMs;
    return true;
  }

  get #ignoredText(): string {
    return this.#ignoredDatagrams === 0
      ? ""
      : ` (ignored datagrams without the id of the request: ${this.#ignoredDatagrams})`;
  }

  get #timeoutMs(): number {
    return RETRANSMISSION_TIMEOUTS_MS[this.#attempt] ?? RETRANSMISSION_TIMEOUTS_MS[0];
  }

  get #limit(): "maxProsperoWaitMs" | "idleTimeoutMs" | "firstByteTimeoutMs" {
    if (this.#isServerWaiting) return "maxProsperoWaitMs";
    return this.#hasReceivedReply ? "idleTimeoutMs" : "firstByteTimeoutMs";
  }

  #restart(nowMs: number, atLeastMs: number): void {
    this.#attempt = 0;
    this.#retryMs = nowMs + Math.max(RETRANSMISSION_TIMEOUTS_MS[0], atLeastMs);
  }
}
