import type { Socket } from "../../network/connector.ts";
import type { Endpoint } from "../../scheme/plan.ts";

/** After this time a server is asked again for more connections than it has granted. In milliseconds. */
const FORGET_MS = 60_000;

/** Within this time a server may not have noticed that a connection is closed. In milliseconds. */
const NOTICE_MS = 500;

/** Servers whose connections are counted at a time; those with none open are forgotten first. */
const MAX_SERVERS = 1_024;

/** How a request asks for a connection. */
export interface ConnectionRequest<C> {
  /** A kept connection that serves it. */
  takeIdle(): C | undefined;
  /** Connections that may be open with its own. */
  readonly maxConnections: number;
  /** Whether the server has refused it before: then it waits in front of the others. */
  readonly isRetry: boolean;
}

/** The right to one connection. It counts from the moment it is given until it is released. */
export class Permit {
  readonly server: ServerConnections;
  /** The connection that was opened with it. */
  socket: Socket | undefined;
  #established = false;
  #released = false;

  constructor(server: ServerConnections) {
    this.server = server;
  }

  get isReleased(): boolean {
    return this.#released;
  }

  /** Makes the permit last as long as this connection. */
  bind(socket: Socket): void {
    this.socket = socket;
    if (socket.closed) this.release();
    else socket.once("close", () => this.release());
  }

  /** The server has accepted the connection. */
  establish(): void {
    if (this.#established || this.#released) return;
    this.#established = true;
    this.server.established();
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.server.released(this, this.#established);
  }
}

/** The connections of a client to one host and port: how many are open, which of them are idle, and the requests that wait for one. */
export class ServerConnections {
  #open = 0;
  #established = 0;
  /** How many the server grants, learned from its refusals. */
  #granted = Infinity;
  #learnedAtMs = -Infinity;
  #closedAtMs = -Infinity;
  /** Idle connections, the oldest first, and how each is closed. */
  readonly #idle = new Map<Permit, () => void>();
  /** An idle connection that is being closed for a request that waits. */
  #closing: Permit | undefined;
  readonly #queue: (() => boolean)[] = [];
  readonly #openers = new Set<() => void>();

  /** Connections that are open, idle, or being opened. */
  get open(): number {
    return this.#open;
  }

  /** Whether there is nothing to remember. */
  get isForgettable(): boolean {
    return this.#open === 0 && this.#queue.length === 0;
  }

  /** Whether the server has granted fewer connections than this. */
  grantsFewerThan(most: number): boolean {
    return this.#grantedNow() < most;
  }

  /** A kept connection, or the permit to open one; `undefined` when the request has to {@link wait}. */
  acquire<C>(applicant: ConnectionRequest<C>): C | Permit | undefined {
    return this.#queue.length === 0 ? this.#serve(applicant) : undefined;
  }

  #serve<C>(applicant: ConnectionRequest<C>): C | Permit | undefined {
    const connection = applicant.takeIdle();
    if (connection !== undefined) return connection;
    if (this.#open < Math.min(applicant.maxConnections, this.#grantedNow())) {
      this.#open++;
      return new Permit(this);
    }
    this.#closeIdle();
    return undefined;
  }

  // The request is served when that connection has closed.
  #closeIdle(): void {
    const [oldest] = this.#idle;
    if (this.#closing || !oldest) return;
    const [permit, close] = oldest;
    this.#idle.delete(permit);
    this.#closing = permit;
    close();
  }

  /** Waits for what `acquire` gives: first come, first served. Rejects with the reason of the signal. */
  wait<C>(applicant: ConnectionRequest<C>, signal: AbortSignal): Promise<C | Permit> {
    return new Promise((resolve, reject) => {
      const serve = (): boolean => {
        const served = this.#serve(applicant);
        if (served === undefined) return false;
        signal.removeEventListener("abort", abort);
        resolve(served);
        return true;
      };
      const abort = (): void => {
        this.#queue.splice(this.#queue.indexOf(serve), 1);
        signal.removeEventListener("abort", abort);
        reject(signal.reason);
        // The next one may have a higher limit.
        this.changed();
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener("abort", abort);
      if (applicant.isRetry) this.#queue.unshift(serve);
      else this.#queue.push(serve);
    });
  }

  /**
   * A kept connection that becomes free while the request opens its own: a full server may let a connection wait in silence.
   * The request came before all that wait. `found` never settles after `stop`, which gives the connection found at the same moment.
   */
  meanwhile<C>(take: () => C | undefined): { found: Promise<C>; stop(): C | undefined } {
    let connection: C | undefined;
    let settle: (found: C) => void = () => undefined;
    const found = new Promise<C>((resolve) => {
      settle = resolve;
    });
    const look = (): void => {
      connection = take();
      if (connection === undefined) return;
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

  /** Serves the requests that wait, as far as possible. */
  changed(): void {
    for (const look of this.#openers) look();
    while (this.#queue[0]?.()) this.#queue.shift();
  }

  /** Notes that a connection is idle: a request that waits may take it, or has it closed in favour of another one. */
  idle(permit: Permit, close: () => void): void {
    if (permit.isReleased) return;
    this.#idle.set(permit, close);
    this.changed();
  }

  /** Notes that a connection is in use again. */
  busy(permit: Permit): void {
    this.#idle.delete(permit);
  }

  established(): void {
    this.#established++;
    this.#granted = Math.max(this.#granted, this.#established);
  }

  released(permit: Permit, established: boolean): void {
    this.#open--;
    this.#idle.delete(permit);
    if (this.#closing === permit) this.#closing = undefined;
    if (established) {
      this.#established--;
      this.#closedAtMs = performance.now();
    }
    this.changed();
  }

  /**
   * Notes that the server takes fewer connections than are open: it has refused one that was to be opened with `permit`, or,
   * without it, something on an established one. `"wait"` until another connection closes or becomes free; `"soon"`, the server
   * may not have noticed yet that the last one has closed; `"never"`, this client has no other connection to the server.
   */
  refused(permit: Permit | undefined): "wait" | "soon" | "never" {
    this.#granted = Math.max(1, permit ? this.#established : this.#established - 1);
    this.#learnedAtMs = performance.now();
    const others = permit?.isReleased ? this.#open : this.#open - 1;
    if (others > 0) return "wait";
    return performance.now() - this.#closedAtMs < NOTICE_MS ? "soon" : "never";
  }

  #grantedNow(): number {
    if (this.#granted !== Infinity && performance.now() - this.#learnedAtMs > FORGET_MS)
      this.#granted = Infinity;
    return this.#granted;
  }
}

/** Counts the connections of a client, by host and port. */
export class ConnectionLimiter {
  readonly #servers = new Map<string, ServerConnections>();
  readonly #permits = new WeakMap<Socket, Permit>();

  server({ host, port }: Endpoint): ServerConnections {
    const key = `${host}:${port}`;
    const known = this.#servers.get(key);
    if (known) return known;
    if (this.#servers.size >= MAX_SERVERS) this.#forgetOne();
    const made = new ServerConnections();
    this.#servers.set(key, made);
    return made;
  }

  /** Notes which permit a connection was opened with, or the TLS connection that runs on it. */
  note(socket: Socket, permit: Permit | undefined): void {
    if (permit) this.#permits.set(socket, permit);
  }

  permitOf(socket: Socket): Permit | undefined {
    return this.#permits.get(socket);
  }

  #forgetOne(): void {
    for (const [key, server] of this.#servers) {
      if (!server.isForgettable) continue;
      this.#servers.delete(key);
      return;
    }
  }
}
