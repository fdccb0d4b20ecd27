/** How the wait for a silence ended. */
export type SilenceOutcome = "silent" | "unanswered" | "stopped";

/**
 * Waits until a service has answered and then been silent. Time counts only while a reader waits for bytes: a service is not silent
 * because its bytes lie unread. Its timer keeps no process alive.
 */
export class SilenceTimer {
  readonly #answerMs: number;
  readonly #silenceMs: number;
  #answered = false;
  #reading = false;
  #timer: NodeJS.Timeout | undefined;
  #settle: ((outcome: SilenceOutcome) => void) | undefined;
  #stopped = false;

  /** `answerMs` bounds the wait for the first data, `silenceMs` is the silence behind the last bytes. */
  constructor(answerMs: number, silenceMs: number) {
    this.#answerMs = answerMs;
    this.#silenceMs = silenceMs;
  }

  /** Begins a silence, from now on. One wait at a time. */
  wait(): Promise<SilenceOutcome> {
    if (this.#stopped) return Promise.resolve("stopped");
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#restart();
    });
  }

  /** A reader waits for bytes, or does not any more. */
  set isReading(isReading: boolean) {
    this.#reading = isReading;
    this.#restart();
  }

  /** Bytes have come; `hasData` when they are more than options. */
  received(hasData: boolean): void {
    this.#answered ||= hasData;
    this.#restart();
  }

  /** The session is over. */
  stop(): void {
    this.#stopped = true;
    this.#end("stopped");
  }

  #restart(): void {
    clearTimeout(this.#timer);
    if (!this.#settle || !this.#reading) return;
    const ms = this.#answered ? this.#silenceMs : this.#answerMs;
    if (ms === Infinity) return;
    this.#timer = setTimeout(() => this.#end(this.#answered ? "silent" : "unanswered"), ms).unref();
  }

  #end(outcome: SilenceOutcome): void {
    clearTimeout(this.#timer);
    this.#settle?.(outcome);
    this.#settle = undefined;
  }
}
