import type { Socket } from "../network/connector.ts";
import type { Endpoint } from "../scheme/plan.ts";
import type { Policy } from "../policy/policy.ts";
import type { Scheme } from "../scheme/scheme.ts";

/** After this time the client tries again to open more connections than the server has granted. In milliseconds. */
const FORGET_MS = 60_000;

/** A server may take this long to notice that a connection is closed. In milliseconds. */
const NOTICE_MS = 500;

/** The number of servers whose connections are counted. A server without open connections is removed first. */
const MAX_SERVERS = 1_024;

/** A request's demand for a connection. */
export interface ConnectionRequest<C> {
  /** Takes a suitable idle connection from the pool. */
  takeIdle(): C | undefined;
  /** The number of connections that may be open, this one included. */
  readonly maxConnections: number;
  /** True when the server has refused the request before. The request then waits in front of all others. */
  readonly isRetry: boolean;
}

/** The permission to open one connection. A permit counts from its creation until its release. */
export class Permit {
  readonly server: ServerConnections;
  /** The connection that was opened with this permit. */
  socket: Socket | undefined;
  #established = false;
  #released = false;

  constructor(server: ServerConnections) {
    this.server = server;
  }

  get isReleased(): boolean {
    return this.#released;
  }

  /** Releases the permit when this connection closes. */
  bind(socket: Socket): void {
    this.socket = socket;
    if (socket.closed) this.release();
    else socket.once("close", () => this.release());
  }

  /** Records that the server has accepted the connection. */
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

/**
 * The connections of a client to one host and port. Counts open connections, and lists idle connections and waiting
 * requests.
 */
export class ServerConnections {
  #open = 0;
  #established = 0;
  /** The number of connections that the server grants, derived from its refusals. */
  #granted = Infinity;
  #learnedAtMs = -Infinity;
  #closedAtMs = -Infinity;
  /** Idle connections, the oldest first, with the function that closes each. */
  readonly #idle = new Map<Permit, () => void>();
  /** An idle connection that is closing in favour of a waiting request. */
  #closing: Permit | undefined;
  readonly #queue: (() => boolean)[] = [];
  readonly #openers = new Set<() => void>();

  /** The number of connections that are open, idle, or being opened. */
  get open(): number {
    return this.#open;
  }

  /** True when no connection is open and no request waits. */
  get isForgettable(): boolean {
    return this.#open === 0 && this.#queue.length === 0;
  }

  /** True when the server grants fewer connections than this. */
  grantsFewerThan(most: number): boolean {
    return this.#grantedNow() < most;
  }

  /** Returns an idle connection, a permit to open one, or `undefined` when the request must {@link wait}. */
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

  // The request gets a permit when that connection has closed.
  #closeIdle(): void {
    const [oldest] = this.#idle;
    if (this.#closing || !oldest) return;
    const [permit, close] = oldest;
    this.#idle.delete(permit);
    this.#closing = permit;
    close();
  }

  /** Waits for an idle connection or a permit, first come, first served. Rejects with the reason of the signal. */
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
        // The next request in the queue may have a higher limit.
        this.changed();
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener("abort", abort);
      if (applicant.isRetry) this.#queue.unshift(serve);
      else this.#queue.push(serve);
    });
  }

  /**
   * Watches for an idle connection while the request opens its own. A full server may leave a new connection
   * unanswered. The request has priority over all waiting requests. `found` never settles after `stop`. `stop` returns
   * a connection that was found at the same moment.
   */
  meanwhile<C>(take: () => C | undefined): { found: Promise<C>; stop(): C | undefined } {
    let connection: C | undefined;
    const { promise: found, resolve } = Promise.withResolvers<C>();
    const look = (): void => {
      connection = take();
      if (connection === undefined) return;
      this.#openers.delete(look);
      resolve(connection);
    };
    this.#openers.add(look);
    const stop = (): C | undefined => {
      this.#openers.delete(look);
      return connection;
    };
    return { found, stop };
  }

  /** Serves the waiting requests, as far as possible. */
  changed(): void {
    for (const look of this.#openers) look();
    while (this.#queue[0]?.()) this.#queue.shift();
  }

  /** Records that a connection is idle. A waiting request may take the connection, or close it to open its own. */
  idle(permit: Permit, close: () => void): void {
    if (permit.isReleased) return;
    this.#idle.set(permit, close);
    this.changed();
  }

  /** Records that a connection is in use again. */
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
   * Records that the server has refused a connection, and returns when to retry. With `permit`, the server refused a
   * new connection. Without `permit`, it refused a request on an open connection.
   *
   * - `"wait"`: until another connection closes or becomes idle.
   * - `"soon"`: the server may not have noticed yet that the last connection has closed.
   * - `"never"`: this client has no other connection to the server.
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

  /** Records the permit with which a connection was opened. */
  add(socket: Socket, permit: Permit): void {
    this.#permits.set(socket, permit);
  }

  /** Records the TLS connection that runs on an open connection. */
  addTls(socket: Socket, carrier: Socket): void {
    const permit = this.#permits.get(carrier);
    if (!permit) return;
    permit.socket = socket;
    this.add(socket, permit);
  }

  /** Records that a connection is idle. `close` closes the connection when a request needs its permit. */
  markIdle(socket: Socket, close: () => void): void {
    const permit = this.#permits.get(socket);
    permit?.server.idle(permit, close);
  }

  /** Records that an idle connection is in use again. */
  markActive(socket: Socket): void {
    const permit = this.#permits.get(socket);
    permit?.server.busy(permit);
  }

  #forgetOne(): void {
    for (const [key, server] of this.#servers) {
      if (!server.isForgettable) continue;
      this.#servers.delete(key);
      return;
    }
  }
}

/**
 * The number of policies of one scheme whose connections are stored. A program that creates a policy for each request
 * must not cause a leak.
 */
const MAX_POLICIES = 16;

interface Closable {
  close(): void;
}

/** The policies of a hop's connections. The address of the peer decides which of the two applies. */
export interface HopPolicies {
  readonly forPrivatePeer: Policy;
  readonly forPublicPeer: Policy;
}

interface SharedState {
  readonly policies: HopPolicies;
  readonly state: Closable;
}

/** Stores the state of schemes between requests. A connection is reused only under the policies that allowed it. */
export class ConnectionStore {
  readonly #states = new Map<Scheme, SharedState[]>();
  /** The open sockets that have been idle at least once. */
  readonly #sockets = new Set<Socket>();
  /** The sockets whose servers have received a secret. */
  readonly #hasSecret = new WeakSet<Socket>();
  #closed = false;

  /** Returns the state of a scheme under these policies. The first call creates the state. */
  getOrCreate<T extends Closable>(scheme: Scheme, policies: HopPolicies, make: () => T): T {
    const all = this.#states.get(scheme) ?? [];
    this.#states.set(scheme, all);
    const known = all.find(
      ({ policies: { forPrivatePeer, forPublicPeer } }) =>
        forPrivatePeer === policies.forPrivatePeer && forPublicPeer === policies.forPublicPeer,
    );
    if (known) return known.state as T;
    if (all.length >= MAX_POLICIES) all.shift()?.state.close();
    const state = make();
    all.push({ policies, state });
    return state;
  }

  /**
   * Adds an idle socket, which does not prevent the process from exiting. `hasSecret` is true when its server has
   * received a secret.
   */
  addIdle(socket: Socket, hasSecret: boolean): void {
    if (hasSecret) this.#hasSecret.add(socket);
    if (this.#closed || socket.destroyed) {
      socket.destroy();
      return;
    }
    socket.unref();
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  /** Marks a socket as in use. Returns true when its server has received a secret. */
  markActive(socket: Socket): boolean {
    socket.ref();
    return this.#hasSecret.has(socket);
  }

  close(): void {
    this.#closed = true;
    for (const all of this.#states.values()) for (const { state } of all) state.close();
    this.#states.clear();
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }
}
