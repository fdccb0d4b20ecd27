import { AccessError } from "../errors/access-error.ts";
import { connectTo } from "../network/connect.ts";
import type { ConnectionOrigin } from "../policy/policy-for.ts";
import type { Limits } from "../policy/limits.ts";
import { type Connector, type Socket, systemResolver } from "../network/connector.ts";
import type { ConnectionSource, ConnectTarget } from "../scheme/context.ts";
import type { Endpoint } from "../scheme/plan.ts";
import { delay } from "../io/abort.ts";
import type { Hop } from "./hop.ts";
import { type ConnectionRequest, Permit, type ServerConnections } from "./connections.ts";

/** The number of retries while a server still counts a closed connection, and the first delay. */
const MAX_RETRIES = 10;
const RETRY_DELAY_MS = 50;

/** Returns the connector of a hop for the network code. `origin` determines the policy. */
export function connectorFor(hop: Hop, origin: ConnectionOrigin = hop.origin): Connector {
  const { request, lifetime, scheme } = hop;
  return {
    origin,
    schemePorts: {
      scheme: hop.url.scheme,
      defaultPort: scheme.syntax.defaultPort,
      speaksFirst: scheme.speaksFirst ?? "client",
      protocols: scheme.protocols,
    },
    limits: request.limits,
    resolver: request.client.options.resolver ?? systemResolver,
    signal: lifetime.signal,
    trace: (event) => hop.trace(event),
    onSocket: (socket, carrier) => lifetime.track(socket, carrier),
    onDatagramSocket: (socket) => lifetime.trackDatagramSocket(socket),
    onAddressesChecked: (addresses) => hop.noteServerAddresses(addresses),
  };
}

/** Opens the connections of one hop. A connection waits while too many to its host and port are open. */
export class ConnectionOpener {
  readonly #hop: Hop;
  /** Permits for connections that a scheme is about to open. */
  readonly #reserved: Permit[] = [];
  #refusals = 0;
  #patience = 0;

  constructor(hop: Hop) {
    this.#hop = hop;
  }

  /** Connects to a target that the guard allows. A further connection to the same peer needs no permit. */
  connect(target: ConnectTarget): Promise<Socket> {
    if ("samePeerAs" in target) return connectTo(connectorFor(this.#hop), target);
    const server = this.#serverOf(target);
    const index = this.#reserved.findIndex((permit) => permit.server === server);
    const [reserved] = index < 0 ? [] : this.#reserved.splice(index, 1);
    if (reserved) return this.#dialWith(reserved, target);
    const acquired = this.#acquire<never>(server, target, () => undefined);
    const dialWith = async (permit: Permit): Promise<Socket> => {
      const socket = await this.#dialWith(permit, target);
      permit.establish();
      return socket;
    };
    return acquired instanceof Permit ? dialWith(acquired) : acquired.then(dialWith);
  }

  /** Implements {@link AccessContext.acquireConnection}. */
  async acquire<C>(target: Endpoint, source: ConnectionSource<C>): Promise<C> {
    const server = this.#serverOf(target);
    for (;;) {
      const acquired = await this.#acquire(server, target, () => source.takeIdle());
      if (!(acquired instanceof Permit)) return acquired;
      try {
        return await this.#openOrTake(acquired, source);
      } catch (error) {
        if (!source.isServerFull?.(error) || !(await this.#mayTryAgain(server, acquired))) throw error;
      }
    }
  }

  /** Implements {@link AccessContext.reportServerFull}. */
  reportServerFull(target: Endpoint): Promise<boolean> {
    return this.#mayTryAgain(this.#serverOf(target), undefined);
  }

  #serverOf(target: Endpoint): ServerConnections {
    return this.#hop.request.client.connectionLimiter.server(target);
  }

  #acquire<C>(
    server: ServerConnections,
    target: Endpoint,
    takeIdle: () => C | undefined,
  ): C | Permit | Promise<C | Permit> {
    const { maxConnectionsPerHost: maxConnections } = this.#hop.request.limits;
    const applicant = { takeIdle, maxConnections, isRetry: this.#refusals > 0 };
    return server.acquire(applicant) ?? this.#wait(server, target, applicant);
  }

  /** Waits at most `callTimeoutMs`. Rejects when the request aborts. */
  async #wait<C>(
    server: ServerConnections,
    target: Endpoint,
    applicant: ConnectionRequest<C>,
  ): Promise<C | Permit> {
    const { lifetime, request } = this.#hop;
    const { callTimeoutMs } = request.limits;
    const timeout = new AbortController();
    const expire = (): void => timeout.abort(noFreeConnection(waited));
    const waited: ConnectionWait = { server, target, limits: request.limits };
    this.#hop.connectionWait = waited;
    const timer = callTimeoutMs === Infinity ? undefined : setTimeout(expire, callTimeoutMs);
    try {
      return await server.wait(applicant, AbortSignal.any([lifetime.signal, timeout.signal]));
    } finally {
      clearTimeout(timer);
      this.#hop.connectionWait = undefined;
    }
  }

  async #dialWith(permit: Permit, target: ConnectTarget): Promise<Socket> {
    try {
      const socket = await connectTo(connectorFor(this.#hop), target);
      this.#hop.request.client.connectionLimiter.add(socket, permit);
      permit.bind(socket);
      return socket;
    } catch (error) {
      permit.release();
      throw error;
    }
  }

  /** Opens a connection. Destroys its socket on failure. */
  async #open<C>(permit: Permit, source: ConnectionSource<C>): Promise<C> {
    this.#reserved.push(permit);
    try {
      const opened = await source.open();
      permit.establish();
      return opened;
    } catch (error) {
      permit.socket?.destroy();
      throw error;
    } finally {
      const index = this.#reserved.indexOf(permit);
      if (index >= 0) {
        this.#reserved.splice(index, 1);
        permit.release();
      }
    }
  }

  /** Opens a connection, unless another becomes idle first. The new connection then goes to the pool. */
  async #openOrTake<C>(permit: Permit, source: ConnectionSource<C>): Promise<C> {
    const opening = this.#open(permit, source);
    if (!source.keepIdle) return opening;
    const other = permit.server.meanwhile(() => source.takeIdle());
    const opened = opening.then(
      (own) => {
        const found = other.stop();
        if (found !== undefined) source.keepIdle?.(own);
        return found ?? own;
      },
      (error: unknown) => {
        const found = other.stop();
        if (found === undefined) throw error;
        if (source.isServerFull?.(error)) permit.server.refused(permit);
        return found;
      },
    );
    opened.catch(() => undefined);
    const found = other.found.then((free) => {
      // The new connection may open only after this hop has ended.
      const { socket } = permit;
      if (socket && !socket.destroyed) this.#hop.detach(socket);
      return free;
    });
    return Promise.race([found, opened]);
  }

  /** Records a refusal and waits before the retry. Resolves to false when a retry is useless. */
  async #mayTryAgain(server: ServerConnections, permit: Permit | undefined): Promise<boolean> {
    this.#refusals++;
    const outlook = server.refused(permit);
    if (outlook !== "soon") return outlook === "wait";
    if (++this.#patience > MAX_RETRIES) return false;
    await delay(RETRY_DELAY_MS * this.#patience, this.#hop.lifetime.signal);
    return true;
  }
}

/** The connection that a request waits for. */
export interface ConnectionWait {
  readonly server: ServerConnections;
  readonly target: Endpoint;
  readonly limits: Limits;
}

/** As in `8 connections to ftp.example port 21 are in use`. */
export function describeConnections({ server, target: { host, port } }: ConnectionWait): string {
  return `${server.open} connection${server.open === 1 ? "" : "s"} to ${host} port ${port} ${server.open === 1 ? "is" : "are"} in use`;
}

/** Creates the error of a request for which no connection became free in time. */
export function noFreeConnection(waited: ConnectionWait): AccessError {
  const { maxConnectionsPerHost: most } = waited.limits;
  const what = `${describeConnections(waited)}, and none became free in time`;
  const advice = waited.server.grantsFewerThan(most)
    ? "read or close what is open: the server takes no more connections"
    : `read or close what is open, or raise the limit maxConnectionsPerHost, which is ${most}`;
  return new AccessError("timeout", what, { limit: "maxConnectionsPerHost", advice });
}
