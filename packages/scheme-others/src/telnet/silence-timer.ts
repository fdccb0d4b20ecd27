/** The result of a wait. The server was silent after its data, or sent no data, or the session ended. */
export type SilenceOutcome = "silent" | "unanswered" | "stopped";

/**
 * Waits until a server has sent data and then been silent. Time counts only while a read is pending, because unread
 * bytes are not silence. The timer does not prevent the process from exiting.
 */
export class SilenceTimer {
  readonly #firstDataMs: number;
  readonly #silenceMs: number;
  #hasData = false;
  #isReading = false;
  #timer: NodeJS.Timeout | undefined;
  #resolve: ((outcome: SilenceOutcome) => void) | undefined;
  #isStopped = false;

  /**
   * Creates a timer. `firstDataMs` limits the wait for the first data. `silenceMs` is the required silence after
   * the last bytes.
   */
  constructor(firstDataMs: number, silenceMs: number) {
    this.#firstDataMs = firstDataMs;
    this.#silenceMs = silenceMs;
  }

  /** Waits for a silence from now on. Only a single wait may be pending. */
  wait(): Promise<SilenceOutcome> {
    if (this.#isStopped) return Promise.resolve("stopped");
    const { promise, resolve } = Promise.withResolvers<SilenceOutcome>();
    this.#resolve = resolve;
    this.#restart();
    return promise;
  }

  /** Sets if a read is pending. */
  set isReadPending(isReadPending: boolean) {
    this.#isReading = isReadPending;
    this.#restart();
  }

  /** Restarts the silence after received bytes. `hasData` is false for bytes of negotiations only. */
  recordReceivedBytes(hasData: boolean): void {
    this.#hasData ||= hasData;
    this.#restart();
  }

  /** Ends the wait when the session ends. */
  stop(): void {
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

  #end(outcome: SilenceOutcome): void {
    clearTimeout(this.#timer);
    this.#resolve?.(outcome);
    this.#resolve = undefined;
  }
}
