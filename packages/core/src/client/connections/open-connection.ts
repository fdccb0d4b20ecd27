import { AccessError } from "../../errors/access-error.ts";
import { dial } from "../../network/connect.ts";
import type { Limits } from "../../policy/limits.ts";
import type { Socket } from "../../network/socket.ts";
import type { ConnectionSource, ConnectOptions, ConnectTarget, Endpoint } from "../../scheme/scheme.ts";
import { delay } from "../../io/delay.ts";
import type { Hop } from "../request.ts";
import { type Applicant, Permit, type ServerConnections } from "./connection-limiter.ts";

/** How often a server that seems not to have noticed a closed connection is asked again, and how soon. */
const MAX_PATIENCE = 10;
const PATIENCE_MS = 50;

/** Opens the connections of one hop: each one counts, and waits while too many to its host and port are open. */
export class Connecting {
  readonly #hop: Hop;
  /** Permits with which a scheme is about to dial. */
  readonly #reserved: Permit[] = [];
  #refusals = 0;
  #patience = 0;

  constructor(hop: Hop) {
    this.#hop = hop;
  }

  /** Dials as the guard allows. A second connection to a peer belongs to the first, and needs no permit. */
  dial(target: ConnectTarget, options?: ConnectOptions): Promise<Socket> {
    if ("samePeerAs" in target) return dial(this.#hop.gate, target, options);
    const server = this.#serverOf(target);
    const index = this.#reserved.findIndex((permit) => permit.server === server);
    const [reserved] = index < 0 ? [] : this.#reserved.splice(index, 1);
    if (reserved) return this.#dialWith(reserved, target, options);
    const acquired = this.#acquire<never>(server, target, () => undefined);
    const dialWith = async (permit: Permit): Promise<Socket> => {
      const socket = await this.#dialWith(permit, target, options);
      permit.establish();
      return socket;
    };
    return acquired instanceof Permit ? dialWith(acquired) : acquired.then(dialWith);
  }

  /** Performs {@link AccessContext.connection}. */
  async connection<C>(target: Endpoint, source: ConnectionSource<C>): Promise<C> {
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

  /** Performs {@link AccessContext.serverIsFull}. */
  serverIsFull(target: Endpoint): Promise<boolean> {
    return this.#mayTryAgain(this.#serverOf(target), undefined);
  }

  /** Notes the TLS connection that runs on a dialled one. */
  secured(socket: Socket, carrier: Socket): void {
    const { connections } = this.#hop.call;
    const permit = connections.permitOf(carrier);
    if (!permit) return;
    permit.socket = socket;
    connections.note(socket, permit);
  }

  /** Notes that a connection is kept, and how it is closed when another one needs its place. */
  released(socket: Socket, close: () => void): void {
    const permit = this.#hop.call.connections.permitOf(socket);
    permit?.server.idle(permit, close);
  }

  /** Notes that a kept connection is in use again. */
  adopted(socket: Socket): void {
    const permit = this.#hop.call.connections.permitOf(socket);
    permit?.server.busy(permit);
  }

  #serverOf(target: Endpoint): ServerConnections {
    return this.#hop.call.connections.server(target);
  }

  #acquire<C>(
    server: ServerConnections,
    target: Endpoint,
    take: () => C | undefined,
  ): C | Permit | Promise<C | Permit> {
    const { maxConnectionsPerHost: most } = this.#hop.call.limits;
    const applicant = { take, most, again: this.#refusals > 0 };
    return server.acquire(applicant) ?? this.#wait(server, target, applicant);
  }

  /** Waits as long as the call may take; once the call has given its resource, at most that long again. */
  async #wait<C>(server: ServerConnections, target: Endpoint, applicant: Applicant<C>): Promise<C | Permit> {
    const { scope, call } = this.#hop;
    const { callTimeoutMs } = call.limits;
    const timeout = new AbortController();
    const expire = (): void => timeout.abort(noneFree(waited));
    const waited: Waited = { server, target, limits: call.limits };
    this.#hop.waited = waited;
    const timer = callTimeoutMs === Infinity ? undefined : setTimeout(expire, callTimeoutMs);
    try {
      return await server.wait(applicant, AbortSignal.any([scope.signal, timeout.signal]));
    } finally {
      clearTimeout(timer);
      this.#hop.waited = undefined;
    }
  }

  async #dialWith(
    permit: Permit,
    target: ConnectTarget,
    options: ConnectOptions | undefined,
  ): Promise<Socket> {
    try {
      const socket = await dial(this.#hop.gate, target, options);
      this.#hop.call.connections.note(socket, permit);
      permit.bind(socket);
      return socket;
    } catch (error) {
      permit.release();
      throw error;
    }
  }

  /** Opens a connection; what failed to become one is closed. */
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

  /** Opens a connection, unless another becomes free before it is open: then the new one is kept for the next request. */
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
      // The new connection may be ready only after this hop has ended.
      const { socket } = permit;
      if (socket && !socket.destroyed) this.#hop.release(socket);
      return free;
    });
    return Promise.race([found, opened]);
  }

  /** Notes a refusal, and waits until it makes sense to try again; false when it never does. */
  async #mayTryAgain(server: ServerConnections, permit: Permit | undefined): Promise<boolean> {
    this.#refusals++;
    const outlook = server.refused(permit);
    if (outlook !== "soon") return outlook === "wait";
    if (++this.#patience > MAX_PATIENCE) return false;
    await delay(PATIENCE_MS * this.#patience, this.#hop.scope.signal);
    return true;
  }
}

/** What a request has waited for. */
export interface Waited {
  readonly server: ServerConnections;
  readonly target: Endpoint;
  readonly limits: Limits;
}

/** As in `8 connections to ftp.example port 21 are in use`. */
export function inUse({ server, target: { host, port } }: Waited): string {
  return `${server.open} connection${server.open === 1 ? "" : "s"} to ${host} port ${port} ${server.open === 1 ? "is" : "are"} in use`;
}

/** The error of a request that has waited for a connection as long as it may. */
export function noneFree(waited: Waited): AccessError {
  const { maxConnectionsPerHost: most } = waited.limits;
  const what = `${inUse(waited)}, and none became free in time`;
  const advice = waited.server.grantsFewerThan(most)
    ? "read or close what is open: the server takes no more connections"
    : `read or close what is open, or raise the limit maxConnectionsPerHost, which is ${most}`;
  return new AccessError("timeout", what, { limit: "maxConnectionsPerHost", advice });
}
