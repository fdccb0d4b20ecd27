import { AccessError } from "../errors/access-error.ts";
import { checkTargetResolvedByProxy, resolveAndCheckTarget } from "../policy/check-target.ts";
import { connectTo } from "../network/connect.ts";
import type { PolicySelectionInput } from "../policy/select-request-or-redirect-policy.ts";
import type { CoreLimits } from "../policy/limits.ts";
import {
  type GuardContext,
  type Socket,
  DEFAULT_CONNECTION_ATTEMPT_DELAY_MS,
} from "../network/guard-context.ts";
import { resolveNameBySystem } from "../network/resolver.ts";
import type { ConnectionPoolCallbacks, ConnectTarget } from "../scheme/context.ts";
import type { InternetUrl } from "../syntax/index.ts";
import type { Endpoint } from "../scheme/plan.ts";
import { delay } from "../io/abort.ts";
import type { Hop } from "./request-hop.ts";
import {
  type IdleOrNewConnectionRequest,
  ConnectionLimiterPermit,
  type ConnectionsToServer,
} from "./connection-limiter.ts";

/** The maximum number of retries while a server still counts a connection that is already closed. */
const MAX_RETRIES = 10;
/**
 * The delay before the first retry of a refused connection, in milliseconds. The delay grows by the same time with each
 * further retry.
 */
const RETRY_DELAY_MS = 50;

/**
 * Creates the context with which the network code opens connections of a hop. `policySelectionInput` determines the
 * policy of the connections.
 */
export function createHopConnectionContext(
  hop: Hop,
  policySelectionInput: PolicySelectionInput = hop.policySelectionInput,
): GuardContext {
  const { request, lifetime, scheme } = hop;
  return {
    policySelectionInput,
    schemePorts: {
      scheme: hop.url.scheme,
      defaultPort: scheme.syntax.defaultPort,
      portRange: scheme.portRange ?? "default",
      additionalProtocolPorts: scheme.additionalProtocolPorts,
    },
    limits: request.limits,
    connectionAttemptDelayMs: request.options.connectionAttemptDelayMs ?? DEFAULT_CONNECTION_ATTEMPT_DELAY_MS,
    resolver: request.client.options.resolver ?? resolveNameBySystem,
    linkLocalZone: request.client.options.linkLocalZone,
    proxy: hop.proxy,
    signal: lifetime.signal,
    trace: (event) => hop.trace(event),
    onSocket: (socket, carrier) => lifetime.addSocket(socket, carrier),
    onDatagramSocket: (socket) => lifetime.addDatagramSocket(socket),
    onAddressesChecked: (addresses) => hop.recordServerAddresses(addresses),
  };
}

/**
 * Applies the policy to the server of a stored response, as to a connection to `addresses`. `addresses` is `undefined`
 * for a host name that a proxy has resolved. Throws the error of the guard when the policy refuses the server.
 */
export async function checkServerOfStoredResponse(
  hop: Hop,
  addresses: readonly string[] | undefined,
): Promise<void> {
  const { effectiveHost: host, effectivePort: port } = hop.url as Partial<InternetUrl>;
  if (host === undefined || port === undefined) return;
  const resolver = (): Promise<readonly string[]> => Promise.resolve(addresses ?? []);
  const context = { ...createHopConnectionContext(hop), resolver, trace: () => undefined };
  if (addresses) await resolveAndCheckTarget(context, { host, port });
  else await checkTargetResolvedByProxy(context, { host, port });
}

/** Opens the connections of one hop. Waits while `maxConnectionsPerHost` connections to a host and port are open. */
export class ConnectionOpener {
  readonly #hop: Hop;
  #refusalCount = 0;
  #retries = 0;

  constructor(hop: Hop) {
    this.#hop = hop;
  }

  /**
   * Connects to a target, or throws when the policy refuses its address. A data connection to the peer of an open
   * connection needs no permit.
   */
  connect(target: ConnectTarget): Promise<Socket> {
    if ("samePeerAs" in target) return connectTo(createHopConnectionContext(this.#hop), target);
    const server = this.#serverOf(target);
    const acquired = this.#acquire<never>(server, target, () => undefined);
    const connectAndEstablish = async (permit: ConnectionLimiterPermit): Promise<Socket> => {
      const socket = await this.#connectWithPermit(permit, target);
      permit.markEstablished();
      return socket;
    };
    return acquired instanceof ConnectionLimiterPermit
      ? connectAndEstablish(acquired)
      : acquired.then(connectAndEstablish);
  }

  /** Implements `AccessContext.acquireConnection`. */
  async acquireConnection<C>(target: Endpoint, source: ConnectionPoolCallbacks<C>): Promise<C> {
    const server = this.#serverOf(target);
    for (;;) {
      const acquired = await this.#acquire(server, target, () => source.takeIdleConnection());
      if (!(acquired instanceof ConnectionLimiterPermit)) return acquired;
      try {
        return await this.#openOrTakeIdle(acquired, source);
      } catch (error) {
        if (!this.#isServerFull(error, source) || !(await this.#waitBeforeRetry(server, acquired)))
          throw error;
      }
    }
  }

  /** Implements `AccessContext.reportServerFull`. */
  reportServerFull(target: Endpoint): Promise<boolean> {
    return this.#waitBeforeRetry(this.#serverOf(target), undefined);
  }

  #serverOf(target: Endpoint): ConnectionsToServer {
    return this.#hop.request.client.connectionLimiter.connectionsTo(target);
  }

  #acquire<C>(
    server: ConnectionsToServer,
    target: Endpoint,
    takeIdleConnection: () => C | undefined,
  ): C | ConnectionLimiterPermit | Promise<C | ConnectionLimiterPermit> {
    const { maxConnectionsPerHost } = this.#hop.request.limits;
    const request = {
      takeIdleConnection,
      maxConnections: maxConnectionsPerHost,
      wasRefusedBefore: this.#refusalCount > 0,
    };
    return server.tryAcquire(request) ?? this.#wait(server, target, request);
  }

  /**
   * Waits at most `callTimeoutMs` for a connection or a permit. The wait for a connection rejects when the request
   * aborts. The wait has its own timer, because `callTimeoutMs` no longer limits a hop that has returned a service or a
   * body.
   */
  async #wait<C>(
    server: ConnectionsToServer,
    target: Endpoint,
    request: IdleOrNewConnectionRequest<C>,
  ): Promise<C | ConnectionLimiterPermit> {
    const {
      lifetime,
      request: { limits },
    } = this.#hop;
    const { callTimeoutMs } = limits;
    const timeout = new AbortController();
    const awaited: FreeConnectionWaitDetails = { server, target, limits };
    const expire = (): void => timeout.abort(createNoFreeConnectionError(awaited));
    this.#hop.freeConnectionWait = awaited;
    const timer = callTimeoutMs === Infinity ? undefined : setTimeout(expire, callTimeoutMs);
    try {
      return await server.waitForConnection(request, AbortSignal.any([lifetime.signal, timeout.signal]));
    } finally {
      clearTimeout(timer);
      this.#hop.freeConnectionWait = undefined;
    }
  }

  async #connectWithPermit(permit: ConnectionLimiterPermit, target: ConnectTarget): Promise<Socket> {
    try {
      const socket = await connectTo(createHopConnectionContext(this.#hop), target);
      this.#hop.request.client.connectionLimiter.addConnection(socket, permit);
      permit.releaseOnClose(socket);
      return socket;
    } catch (error) {
      permit.release();
      throw error;
    }
  }

  /** Opens a connection with a permit. Destroys the new socket when the connection cannot be set up. */
  async #open<C>(permit: ConnectionLimiterPermit, source: ConnectionPoolCallbacks<C>): Promise<C> {
    let isPermitUsed = false;
    const connect = (target: ConnectTarget): Promise<Socket> => {
      if (isPermitUsed || "samePeerAs" in target || this.#serverOf(target) !== permit.server)
        return this.connect(target);
      isPermitUsed = true;
      return this.#connectWithPermit(permit, target);
    };
    try {
      const opened = await source.openConnection(connect);
      permit.markEstablished();
      return opened;
    } catch (error) {
      permit.socket?.destroy();
      throw error;
    } finally {
      if (!isPermitUsed) permit.release();
    }
  }

  /**
   * Opens a connection, or takes a connection that becomes idle in the meantime. When an idle connection was taken, the
   * new connection goes to the pool.
   */
  async #openOrTakeIdle<C>(permit: ConnectionLimiterPermit, source: ConnectionPoolCallbacks<C>): Promise<C> {
    const opening = this.#open(permit, source);
    if (!source.poolIdleConnection) return opening;
    const idleWatch = permit.server.watchForIdleConnection(() => source.takeIdleConnection());
    const opened = opening.then(
      (own) => {
        const found = idleWatch.stopWatching();
        if (found !== undefined) source.poolIdleConnection?.(own);
        return found ?? own;
      },
      (error: unknown) => {
        const found = idleWatch.stopWatching();
        if (found === undefined) throw error;
        if (this.#isServerFull(error, source)) permit.server.recordRefusal(permit);
        return found;
      },
    );
    opened.catch(() => undefined);
    const found = idleWatch.idleConnection.then((idleConnection) => {
      // The new connection may be established only after this hop has ended.
      const { socket } = permit;
      if (socket && !socket.destroyed) this.#hop.detachSocket(socket);
      return idleConnection;
    });
    return Promise.race([found, opened]);
  }

  /**
   * True for the error of a server that has too many connections. An abort destroys the socket of a new connection,
   * which looks like a server that closes it before its greeting.
   */
  #isServerFull<C>(error: unknown, source: ConnectionPoolCallbacks<C>): boolean {
    return !this.#hop.lifetime.signal.aborted && source.isServerFull?.(error) === true;
  }

  /**
   * Records that the server refused a connection. Waits before the retry if the client has no other connection to the
   * server. Resolves to false when a further attempt to connect cannot succeed.
   */
  async #waitBeforeRetry(
    server: ConnectionsToServer,
    permit: ConnectionLimiterPermit | undefined,
  ): Promise<boolean> {
    this.#refusalCount++;
    const retryTime = server.recordRefusal(permit);
    if (retryTime !== "soon") return retryTime === "wait";
    if (++this.#retries > MAX_RETRIES) return false;
    await delay(RETRY_DELAY_MS * this.#retries, this.#hop.lifetime.signal);
    return true;
  }
}

export interface FreeConnectionWaitDetails {
  readonly server: ConnectionsToServer;
  readonly target: Endpoint;
  readonly limits: CoreLimits;
}

/** Returns a text such as `8 connections to ftp.example port 21 are in use`. */
export function describeConnectionsInUse({
  server,
  target: { host, port },
}: FreeConnectionWaitDetails): string {
  const place = `to ${host} port ${port}`;
  return server.openCount === 1
    ? `1 connection ${place} is in use`
    : `${server.openCount} connections ${place} are in use`;
}

/** Creates the error of a request that waited too long for a free connection. */
export function createNoFreeConnectionError(awaited: FreeConnectionWaitDetails): AccessError {
  const { maxConnectionsPerHost } = awaited.limits;
  const reason = `${describeConnectionsInUse(awaited)}, and none became free in time`;
  const advice = awaited.server.isServerLimitBelow(maxConnectionsPerHost)
    ? "read or close the open resources: the server accepts no more connections"
    : `read or close the open resources, or raise the limit maxConnectionsPerHost, which is ${maxConnectionsPerHost}`;
  return new AccessError("timeout", reason, { limit: "maxConnectionsPerHost", advice });
}
