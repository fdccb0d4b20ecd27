import type { DecodedSizeMeter } from "./decoded-size.ts";
import type { DispatchControllerPausedDuringSizeCheck } from "./dispatch-controller-paused-during-size-check.ts";

/** The functions that receive the results of a {@link DecodedSizeCheckQueue}. */
export interface DecodedSizeCheckCallbacks {
  /** Receives each chunk of a compressed body after its decoded size has been measured. */
  passChunk(chunk: Buffer): void;
  /** Receives the error of the meter, and an error that `passChunk` throws. */
  fail(error: Error): void;
}

/** A compressed body whose chunks wait until their decoded size has been measured. */
export class DecodedSizeCheckQueue {
  readonly #meter: DecodedSizeMeter;
  readonly #controller: DispatchControllerPausedDuringSizeCheck;
  readonly #handler: DecodedSizeCheckCallbacks;
  /** Resolves when the received chunks have been measured and passed on, or when one of them has failed. */
  #measuring: Promise<void> | undefined;
  #unmeasuredChunks = 0;
  #hasFailed = false;

  constructor(
    meter: DecodedSizeMeter,
    controller: DispatchControllerPausedDuringSizeCheck,
    handler: DecodedSizeCheckCallbacks,
  ) {
    this.#meter = meter;
    this.#controller = controller;
    this.#handler = handler;
  }

  /**
   * Measures the decoded size of a chunk, and passes the chunk on. The response is paused while the chunk is measured.
   */
  receive(chunk: Buffer): void {
    this.#controller.pauseForSizeCheck();
    this.#unmeasuredChunks++;
    this.#measuring = this.#measureAndPass(chunk, this.#measuring);
  }

  async #measureAndPass(chunk: Buffer, previous: Promise<void> | undefined): Promise<void> {
    await previous;
    if (this.#hasFailed) return;
    try {
      await this.#meter.measure(chunk);
      this.#unmeasuredChunks--;
      this.#handler.passChunk(chunk);
      if (this.#unmeasuredChunks === 0) this.#controller.continueAfterSizeCheck();
    } catch (error) {
      this.#hasFailed = true;
      this.#handler.fail(error as Error);
    }
  }

  /** Calls a function after the received chunks have been passed on. */
  afterMeasuring(callback: () => void): void {
    if (this.#measuring) void this.#measuring.then(callback);
    else callback();
  }
}
