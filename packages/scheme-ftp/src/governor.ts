/** After this time a server is asked again for more connections than it has granted. In milliseconds. */
const FORGET_MS = 60_000;

/** In this time a server notices that a connection has been closed. In milliseconds. */
const NOTICE_MS = 500;

/** How an access gets its connection. */
export interface Applicant<C> {
  /** A connection that is free for it. */
  take(): C | undefined;
  /** Closes a free connection that is of no use to it, if there is one. */
  makeRoom(): void;
  /** Whose signal ends the wait. It is asked for only when there is a wait: to make one takes as long as all else here. */
  readonly context: { readonly signal: AbortSignal };
  /** Whether it was served before, and refused by the server. */
  readonly again?: boolean | undefined;
}

/**
 * The connections to one server. How many it grants is learned from its refusals; whoever finds none free waits, and is
 * served in the order of coming.
 */
export class Governor {
  readonly #most: number;
  #open = 0;
  #established = 0;
  #granted = Infinity;
  #learnedAt = -Infinity;
  #closedAt = -Infinity;
  readonly #queue: (() => boolean)[] = [];
  readonly #openers = new Set<() => void>();

  /** At most so many connections, however many the server grants. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Connections that are open or being opened. */
  get open(): number {
    return this.#open;
  }

  /** A free connection; or `undefined`, which allows to open one and has to be followed by `closed` one day. */
  acquire<C>(applicant: Applicant<C>): C | undefined | Promise<C | undefined> {
    const now = this.#queue.length === 0 ? this.#serve(applicant) : undefined;
    return now ? now.connection : this.#wait(applicant);
  }

  #serve<C>(applicant: Applicant<C>): { readonly connection: C | undefined } | undefined {
    const connection = applicant.take();
    if (!connection && !this.#admits()) {
      // Its turn comes when the connection is closed.
      applicant.makeRoom();
      return undefined;
    }
    if (!connection) this.#open++;
    return { connection };
  }

  #wait<C>(applicant: Applicant<C>): Promise<C | undefined> {
    return new Promise((resolve, reject) => {
      const { signal } = applicant.context;
      const serve = (): boolean => {
        const served = this.#serve(applicant);
        if (!served) return false;
        signal.removeEventListener("abort", abort);
        resolve(served.connection);
        return true;
      };
      const abort = (): void => {
        this.#queue.splice(this.#queue.indexOf(serve), 1);
        reject(signal.reason as Error);
      };
      if (signal.aborted) return reject(signal.reason as Error);
      signal.addEventListener("abort", abort, { once: true });
      if (applicant.again) this.#queue.unshift(serve);
      else this.#queue.push(serve);
    });
  }

  /**
   * A free connection for whoever is opening one, and came before those who wait: a server that is full may let a connection
   * wait without a word. Never settles after `stop`, which gives the connection that was found in the same moment, if any.
   */
  meanwhile<C>(take: () => C | undefined): { found: Promise<C>; stop(): C | undefined } {
    let connection: C | undefined;
    let settle: (found: C) => void = () => undefined;
    const found = new Promise<C>((resolve) => {
      settle = resolve;
    });
    const look = (): void => {
      connection = take();
      if (!connection) return;
      this.#openers.delete(look);
      settle(connection);
    };
    this.#openers.add(look);
    const stop = (): C | undefined => {
      this.#openers.delete(look);
      return connection;
    };
    return { found, stop };
  }

  /** A connection is free, or there may be one more. */
  changed(): void {
    for (const look of this.#openers) look();
    while (this.#queue[0]?.()) this.#queue.shift();
  }

  /** A connection that was opened is logged in. */
  established(): void {
    this.#established++;
    this.#granted = Math.max(this.#granted, this.#established);
  }

  /** A connection is closed, one that was `established` or not. */
  closed(established: boolean): void {
    this.#open--;
    if (established) {
      this.#established--;
      this.#closedAt = performance.now();
    }
    this.changed();
  }

  /**
   * The server refused one connection more. `"wait"` for another to be free; `"soon"`, it may not have noticed yet that the
   * last one is closed; `"never"`, there is none to wait for.
   */
  refused(): "wait" | "soon" | "never" {
    this.#granted = Math.max(1, this.#established);
    this.#learnedAt = performance.now();
    if (this.#open > 1) return "wait";
    return performance.now() - this.#closedAt < NOTICE_MS ? "soon" : "never";
  }

  #admits(): boolean {
    if (performance.now() - this.#learnedAt > FORGET_MS) this.#granted = Infinity;
    return this.#open < Math.min(this.#most, this.#granted);
  }
}
