import type { Socket } from "../network/guard-context.ts";
import type { ParsedProxyServerSettings } from "../network/proxy/proxy-settings.ts";
import type { Endpoint } from "../scheme/plan.ts";
import type { Policy } from "../policy/policy.ts";
import type { Scheme } from "../scheme/scheme.ts";

/** The time after which the client again tries to open more connections than the server has accepted. */
const SERVER_LIMIT_EXPIRY_MS = 60_000;

/** The maximum time in which a server notices that a connection is closed. */
const SERVER_CLOSE_NOTICE_MS = 500;

/**
 * The maximum number of servers whose connections are counted. Beyond the maximum, a new server replaces a server
 * without open connections, or is added if all servers are in use.
 */
const MAX_SERVERS = 1_024;

export interface IdleOrNewConnectionRequest<C> {
  /** Takes from the pool an idle connection that the request can use. */
  takeIdleConnection(): C | undefined;
  /** The maximum number of open connections to the server, including the requested connection. */
  readonly maxConnections: number;
  /**
   * True when the server has already refused a connection of this request. A request that was refused before waits at
   * the front of the queue.
   */
  readonly wasRefusedBefore: boolean;
}

/** The permission to open one connection. The connection counts as open until the permit is released. */
export class ConnectionLimiterPermit {
  readonly server: ConnectionsToServer;
  /** The connection that was opened with this permit. */
  socket: Socket | undefined;
  #established = false;
  #released = false;

  constructor(server: ConnectionsToServer) {
    this.server = server;
  }

  get isReleased(): boolean {
    return this.#released;
  }

  releaseOnClose(socket: Socket): void {
    this.socket = socket;
    if (socket.closed) this.release();
    else socket.once("close", () => this.release());
  }

  /** Records that the server has accepted the connection. */
  markEstablished(): void {
    if (this.#established || this.#released) return;
    this.#established = true;
    this.server.recordEstablished();
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.server.recordReleased(this, this.#established);
  }
}

/** The open and idle connections of a client to one host and port, and the requests that wait for a connection. */
export class ConnectionsToServer {
  #open = 0;
  #established = 0;
  /** The number of connections that the server accepts, as its refusals have shown. */
  #serverLimit = Infinity;
  #limitLearnedAtMs = -Infinity;
  #closedAtMs = -Infinity;
  /** The permits of the idle connections, the oldest first, with the functions that close the connections. */
  readonly #idle = new Map<ConnectionLimiterPermit, () => void>();
  /** The permit of the idle connection that is being closed, so that a waiting request can open a new connection. */
  #closing: ConnectionLimiterPermit | undefined;
  readonly #queue: (() => boolean)[] = [];
  readonly #idleWatchers = new Set<() => void>();

  /** The number of connections to the server that are open, idle, or being opened. */
  get openCount(): number {
    return this.#open;
  }

  /** True when no connection is open and no request waits for a connection. */
  get isUnused(): boolean {
    return this.#open === 0 && this.#queue.length === 0;
  }

  /** True when the server accepts fewer than `count` connections. */
  isServerLimitBelow(count: number): boolean {
    return this.#currentServerLimit() < count;
  }

  /**
   * Returns an idle connection, or a permit to open a connection. Returns `undefined` when the request has to wait for
   * a connection.
   */
  tryAcquire<C>(request: IdleOrNewConnectionRequest<C>): C | ConnectionLimiterPermit | undefined {
    return this.#queue.length === 0 ? this.#serve(request) : undefined;
  }

  #serve<C>(request: IdleOrNewConnectionRequest<C>): C | ConnectionLimiterPermit | undefined {
    const connection = request.takeIdleConnection();
    if (connection !== undefined) return connection;
    if (this.#open < Math.min(request.maxConnections, this.#currentServerLimit())) {
      this.#open++;
      return new ConnectionLimiterPermit(this);
    }
    this.#closeIdle();
    return undefined;
  }

  // The waiting request gets a permit when the idle connection has closed.
  #closeIdle(): void {
    const [oldest] = this.#idle;
    if (this.#closing || !oldest) return;
    const [permit, close] = oldest;
    this.#idle.delete(permit);
    this.#closing = permit;
    close();
  }

  /**
   * Waits in a queue for an idle connection or a permit. The wait for a connection rejects with the signal's reason
   * when the signal aborts.
   */
  waitForConnection<C>(
    request: IdleOrNewConnectionRequest<C>,
    signal: AbortSignal,
  ): Promise<C | ConnectionLimiterPermit> {
    return new Promise((resolve, reject) => {
      const serve = (): boolean => {
        try {
          const served = this.#serve(request);
          if (served === undefined) return false;
          resolve(served);
        } catch (error) {
          // The end of another request may have started this attempt to serve a waiting request. An error of a waiting
          // request's callback fails only this waiting request.
          reject(error);
        }
        signal.removeEventListener("abort", abort);
        return true;
      };
      const abort = (): void => {
        this.#queue.splice(this.#queue.indexOf(serve), 1);
        signal.removeEventListener("abort", abort);
        reject(signal.reason);
        // The next request in the queue may have a higher `maxConnectionsPerHost`.
        this.serveWaitingRequests();
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener("abort", abort);
      if (request.wasRefusedBefore) this.#queue.unshift(serve);
      else this.#queue.push(serve);
    });
  }

  /**
   * Watches for an idle connection while a request opens its own, because an overloaded server may not answer a new
   * connection. The watching request has priority over the requests that wait in the queue. `stopWatching` returns the
   * idle connection if one was found. The promise `idleConnection` does not settle after a call of `stopWatching`.
   */
  watchForIdleConnection<C>(take: () => C | undefined): {
    idleConnection: Promise<C>;
    stopWatching(): C | undefined;
  } {
    let connection: C | undefined;
    const { promise: idleConnection, resolve, reject } = Promise.withResolvers<C>();
    const takeIfIdle = (): void => {
      try {
        connection = take();
        if (connection === undefined) return;
        resolve(connection);
      } catch (error) {
        reject(error);
      }
      this.#idleWatchers.delete(takeIfIdle);
    };
    this.#idleWatchers.add(takeIfIdle);
    const stopWatching = (): C | undefined => {
      this.#idleWatchers.delete(takeIfIdle);
      return connection;
    };
    return { idleConnection, stopWatching };
  }

  /** Gives the available idle connections and permits to the waiting requests. */
  serveWaitingRequests(): void {
    for (const takeIfIdle of this.#idleWatchers) takeIfIdle();
    while (this.#queue[0]?.()) this.#queue.shift();
  }

  /**
   * Records an idle connection. A waiting request uses the idle connection again, or closes it and opens a new
   * connection.
   */
  markIdle(permit: ConnectionLimiterPermit, close: () => void): void {
    if (permit.isReleased) return;
    this.#idle.set(permit, close);
    this.serveWaitingRequests();
  }

  /** Records that a connection is in use again. */
  markActive(permit: ConnectionLimiterPermit): void {
    this.#idle.delete(permit);
  }

  recordEstablished(): void {
    this.#established++;
    this.#serverLimit = Math.max(this.#serverLimit, this.#established);
  }

  recordReleased(permit: ConnectionLimiterPermit, wasEstablished: boolean): void {
    this.#open--;
    this.#idle.delete(permit);
    if (this.#closing === permit) this.#closing = undefined;
    if (wasEstablished) {
      this.#established--;
      this.#closedAtMs = performance.now();
    }
    this.serveWaitingRequests();
  }

  /**
   * Records that the server has refused a connection, and returns when to retry. `permit` is the permit of the
   * new connection that the server refused, or `undefined` if the server refused a request on an open connection.
   *
   * - `"wait"`: when another connection closes or becomes idle.
   * - `"soon"`: shortly, because the server may not have noticed yet that the last connection has closed.
   * - `"never"`: not at all, because the client has no other connection to the server.
   */
  recordRefusal(permit: ConnectionLimiterPermit | undefined): "wait" | "soon" | "never" {
    this.#serverLimit = Math.max(1, permit ? this.#established : this.#established - 1);
    this.#limitLearnedAtMs = performance.now();
    const others = permit?.isReleased ? this.#open : this.#open - 1;
    if (others > 0) return "wait";
    return performance.now() - this.#closedAtMs < SERVER_CLOSE_NOTICE_MS ? "soon" : "never";
  }

  #currentServerLimit(): number {
    if (this.#serverLimit !== Infinity && performance.now() - this.#limitLearnedAtMs > SERVER_LIMIT_EXPIRY_MS)
      this.#serverLimit = Infinity;
    return this.#serverLimit;
  }
}

/** Counts the open connections of a client, by host and port. */
export class ConnectionLimiter {
  readonly #servers = new Map<string, ConnectionsToServer>();
  readonly #permits = new WeakMap<Socket, ConnectionLimiterPermit>();

  connectionsTo({ host, port }: Endpoint): ConnectionsToServer {
    const key = `${host}:${port}`;
    const known = this.#servers.get(key);
    if (known) return known;
    if (this.#servers.size >= MAX_SERVERS) this.#forgetUnusedServer();
    const server = new ConnectionsToServer();
    this.#servers.set(key, server);
    return server;
  }

  /** Records the permit with which a connection was opened. */
  addConnection(socket: Socket, permit: ConnectionLimiterPermit): void {
    this.#permits.set(socket, permit);
  }

  /** Records the TLS connection that runs on an open connection. */
  addTlsConnection(socket: Socket, carrier: Socket): void {
    const permit = this.#permits.get(carrier);
    if (!permit) return;
    permit.socket = socket;
    this.addConnection(socket, permit);
  }

  /**
   * Records that a connection is idle. The limiter calls `close` to close the idle connection when another request
   * needs its permit.
   */
  markIdle(socket: Socket, close: () => void): void {
    const permit = this.#permits.get(socket);
    permit?.server.markIdle(permit, close);
  }

  /** Records that an idle connection is in use again. */
  markActive(socket: Socket): void {
    const permit = this.#permits.get(socket);
    permit?.server.markActive(permit);
  }

  #forgetUnusedServer(): void {
    for (const [key, server] of this.#servers) {
      if (!server.isUnused) continue;
      this.#servers.delete(key);
      return;
    }
  }
}

/**
 * The maximum number of combinations of policies and proxy whose connections are stored, for each scheme. This maximum
 * prevents a memory leak in a program that creates a policy for each request.
 */
const MAX_CONDITIONS = 16;

interface Closable {
  close(): void;
}

/** The conditions of a connection: requests with the same conditions may reuse the connection. */
export interface ConnectionReuseConditions {
  /** The policies. The address of the peer decides whether the policy for private or for public peers applies. */
  readonly policyForPrivatePeer: Policy;
  readonly policyForPublicPeer: Policy;
  readonly proxy: ParsedProxyServerSettings | undefined;
}

function areEqualConditions(one: ConnectionReuseConditions, other: ConnectionReuseConditions): boolean {
  return (
    one.policyForPrivatePeer === other.policyForPrivatePeer &&
    one.policyForPublicPeer === other.policyForPublicPeer &&
    (one.proxy === other.proxy || one.proxy?.equals(other.proxy) === true)
  );
}

/** Stores connection pools and other state of schemes between requests, separately for each policy and proxy. */
export class SchemeStateStore {
  readonly #states = new Map<
    Scheme,
    { readonly conditions: ConnectionReuseConditions; readonly state: Closable }[]
  >();
  /** The open sockets that are idle, or were idle before and are in use again. */
  readonly #sockets = new Set<Socket>();
  /** The sockets on which a secret was sent to the server. */
  readonly #hasSecret = new WeakSet<Socket>();
  #closed = false;

  /**
   * Returns the state of a scheme for the given policies and proxy. The first call for these policies and this proxy
   * creates the state of the scheme.
   */
  getOrCreateSchemeState<T extends Closable>(
    scheme: Scheme,
    conditions: ConnectionReuseConditions,
    make: () => T,
  ): T {
    const all = this.#states.get(scheme) ?? [];
    this.#states.set(scheme, all);
    const known = all.find((each) => areEqualConditions(each.conditions, conditions));
    if (known) return known.state as T;
    if (all.length >= MAX_CONDITIONS) all.shift()?.state.close();
    const state = make();
    all.push({ conditions, state });
    return state;
  }

  /**
   * Adds an idle socket, which does not prevent the process from exiting. `hasSecret` is true when the server has
   * received a secret on this socket.
   */
  addIdleSocket(socket: Socket, hasSecret: boolean): void {
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

  /** Marks an idle socket as in use. Returns true when the server has received a secret on this socket. */
  markSocketActive(socket: Socket): boolean {
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
