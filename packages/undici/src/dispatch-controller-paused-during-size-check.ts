import type { Dispatcher } from "undici";

type Controller = Dispatcher.DispatchController;

/**
 * The dispatch controller of undici that the handler of the caller receives. While a chunk is being measured, the
 * response stays paused, even if the handler resumes the response.
 */
export class DispatchControllerPausedDuringSizeCheck implements Controller {
  readonly #target: Controller;
  #isPausedByHandler = false;
  #isCheckingSize = false;

  constructor(target: Controller) {
    this.#target = target;
  }

  get aborted(): boolean {
    return this.#target.aborted;
  }

  get paused(): boolean {
    return this.#target.paused;
  }

  get reason(): Error | null {
    return this.#target.reason;
  }

  get rawHeaders(): NonNullable<Controller["rawHeaders"]> | null {
    return this.#target.rawHeaders ?? null;
  }

  set rawHeaders(headers: NonNullable<Controller["rawHeaders"]> | null) {
    this.#target.rawHeaders = headers;
  }

  get rawTrailers(): NonNullable<Controller["rawTrailers"]> | null {
    return this.#target.rawTrailers ?? null;
  }

  set rawTrailers(trailers: NonNullable<Controller["rawTrailers"]> | null) {
    this.#target.rawTrailers = trailers;
  }

  abort(reason: Error): void {
    this.#target.abort(reason);
  }

  pause(): void {
    this.#isPausedByHandler = true;
    this.#target.pause();
  }

  resume(): void {
    this.#isPausedByHandler = false;
    if (!this.#isCheckingSize) this.#target.resume();
  }

  /** Pauses the response until {@link continueAfterSizeCheck} is called. */
  pauseForSizeCheck(): void {
    this.#isCheckingSize = true;
    this.#target.pause();
  }

  /** Continues the response, unless the handler has paused it. */
  continueAfterSizeCheck(): void {
    this.#isCheckingSize = false;
    if (!this.#isPausedByHandler) this.#target.resume();
  }
}
