import { AccessError, type Limits } from "@anyscheme/core";
import { limitError } from "@anyscheme/core/plugin";

/** "Timeout 4 s, then 8, 16, 32 (three retries)". */
const TIMEOUTS_MS = [4_000, 8_000, 16_000, 32_000] as const;

/** When to send again, and when to give up. It has no clock: whoever asks says what time it is, in milliseconds. */
export class RetryTimer {
  readonly #limits: Limits;
  #attempt = 0;
  /** When the last new packet came, or the request went out. */
  #progressMs: number;
  #retryMs: number;
  #hasReceivedReply = false;
  #isServerWaiting = false;

  constructor(limits: Limits, nowMs: number) {
    this.#limits = limits;
    this.#progressMs = nowMs;
    this.#retryMs = nowMs + TIMEOUTS_MS[0];
  }

  /** When `expire` has to be called. */
  get deadlineMs(): number {
    return Math.min(this.#retryMs, this.#progressMs + this.#limits[this.#limit]);
  }

  /** "Any progress resets". A server that sends has stopped asking us to wait. */
  onProgress(nowMs: number): void {
    this.#hasReceivedReply = true;
    this.#isServerWaiting = false;
    this.#progressMs = nowMs;
    this.#restart(nowMs, 0);
  }

  /** "After a wait value w > 0 the timer restarts with max(own timeout, w) and the retry count is refilled." */
  onServerWait(seconds: number, nowMs: number): void {
    this.#isServerWaiting ||= seconds > 0;
    if (seconds > 0) this.#restart(nowMs, seconds * 1_000);
    else this.#retryMs = Math.min(this.#retryMs, nowMs + this.#timeoutMs);
  }

  /** Leaves out a time in which nobody wanted to hear anything. */
  pause(ms: number): void {
    this.#progressMs += ms;
    this.#retryMs += ms;
  }

  /** Begins the next attempt, unless it is too early. Throws `timeout` after the last one, or when a limit is reached. */
  onTimeout(nowMs: number): boolean {
    const limit = this.#limit;
    const what = this.#hasReceivedReply ? "the server fell silent" : "the server did not answer";
    if (nowMs >= this.#progressMs + this.#limits[limit]) {
      throw limitError(limit, this.#limits, this.#isServerWaiting ? "the server has us wait too long" : what);
    }
    if (nowMs < this.#retryMs) return false;
    this.#attempt++;
    if (this.#attempt === TIMEOUTS_MS.length)
      throw new AccessError("timeout", `${what}, and was asked ${this.#attempt} times`);
    this.#retryMs = nowMs + this.#timeoutMs;
    return true;
  }

  get #timeoutMs(): number {
    return TIMEOUTS_MS[this.#attempt] ?? TIMEOUTS_MS[0];
  }

  get #limit(): "maxProsperoWaitMs" | "idleTimeoutMs" | "firstByteTimeoutMs" {
    if (this.#isServerWaiting) return "maxProsperoWaitMs";
    return this.#hasReceivedReply ? "idleTimeoutMs" : "firstByteTimeoutMs";
  }

  #restart(nowMs: number, atLeastMs: number): void {
    this.#attempt = 0;
    this.#retryMs = nowMs + Math.max(TIMEOUTS_MS[0], atLeastMs);
  }
}
