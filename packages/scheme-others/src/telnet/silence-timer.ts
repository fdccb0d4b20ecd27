/**
 * The reason why a wait for the silence of a Telnet server ended: the server was silent after its data, sent no data,
 * or the session ended.
 */
export type SilenceWaitOutcome = "silent" | "unanswered" | "stopped";

/**
 * Waits until a Telnet server has sent data and has then been silent. The silence is measured only while a read is
 * pending, because unread bytes are not silence. The silence timer does not prevent the process from exiting.
 */
export class SilenceTimer {
  readonly #firstDataMs: number;
  readonly #silenceMs: number;
  #hasData = false;
  #isReading = false;
  #timer: NodeJS.Timeout | undefined;
  #resolve: ((outcome: SilenceWaitOutcome) => void) | undefined;
  #isStopped = false;

  /**
   * Creates a timer. `firstDataMs` limits the wait for the first data of the Telnet server. `silenceMs` is the required
   * silence after the last bytes of the Telnet server.
   */
  constructor(firstDataMs: number, silenceMs: number) {
    this.#firstDataMs = firstDataMs;
    this.#silenceMs = silenceMs;
  }

  /** Waits until the Telnet server is silent. Only one call of `waitForSilence` may be pending. */
  waitForSilence(): Promise<SilenceWaitOutcome> {
    if (this.#isStopped) return Promise.resolve("stopped");
    const { promise, resolve } = Promise.withResolvers<SilenceWaitOutcome>();
    this.#resolve = resolve;
    this.#restart();
    return promise;
  }

  /** Sets whether the Telnet session is waiting for data of the server. */
  set isReadPending(isReadPending: boolean) {
    this.#isReading = isReadPending;
    this.#restart();
  }

  /**
   * Restarts the silence timer after bytes from the Telnet server. `hasData` is false if the bytes contain only Telnet
   * negotiations.
   */
  recordReceivedBytes(hasData: boolean): void {
    this.#hasData ||= hasData;
    this.#restart();
  }

  /** Ends the pending wait for silence at the end of the Telnet session. */
  endWait(): void {
    this.#isStopped = true;
    this.#end("stopped");
  }

  #restart(): void {
    clearTimeout(this.#timer);
    if (!this.#resolve || !this.#isReading) return;
    const ms = this.#hasData ? this.#silenceMs : this.#firstDataMs;
    if (ms === Infinity) return;
    this.#timer = setTimeout(() => this.#end(this.#hasData ? "silent" : "unanswered"), ms).unref();
  }

  #end(outcome: SilenceWaitOutcome): void {
    clearTimeout(this.#timer);
    this.#resolve?.(outcome);
    this.#resolve = undefined;
  }
}
