import { setMaxListeners } from "node:events";
import type { Socket } from "../guard/socket.ts";

/**
 * The lifetime of one hop of an access: its signal, its timer, its sockets. Whatever ends it, `end` leaves none of them
 * behind.
 */
export class Scope {
  readonly #controller = new AbortController();
  readonly #sockets = new Set<Socket>();
  readonly #detach: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  /** Aborts with the first of the parents that does. `reason` makes the error. */
  constructor(parents: readonly { signal: AbortSignal; reason: () => Error }[]) {
    for (const { signal, reason } of parents) {
      const abort = (): void => this.abort(reason());
      if (signal.aborted) abort();
      // Many accesses may share a signal, and each takes its listener away: no leak to warn of.
      if (signal instanceof EventTarget) setMaxListeners(0, signal);
      signal.addEventListener("abort", abort, { once: true });
      this.#detach.push(() => signal.removeEventListener("abort", abort));
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get ended(): boolean {
    return this.#ended;
  }

  abort(reason: Error): void {
    if (this.#ended) return;
    this.#controller.abort(reason);
  }

  /** Aborts with this error after so many milliseconds, unless `lift` comes first. */
  expireAfter(ms: number, error: () => Error): void {
    clearTimeout(this.#timer);
    if (ms === Infinity || this.#ended) return;
    this.#timer = setTimeout(() => this.abort(error()), Math.max(0, ms));
  }

  /** Takes the time limit away. */
  lift(): void {
    clearTimeout(this.#timer);
  }

  /** Makes the socket end with the scope. An error of a socket that nobody reads any more is no error of the process. */
  track(socket: Socket): void {
    socket.on("error", () => undefined);
    if (this.#ended) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    for (const detach of this.#detach) detach();
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }
}
