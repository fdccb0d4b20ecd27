import type { Socket } from "../../network/connector.ts";
import type { Policy } from "../../policy/policy.ts";
import type { Scheme } from "../../scheme/scheme.ts";

/**
 * The number of policies of one scheme whose connections are stored. A program that creates a policy for each request
 * must not cause a leak.
 */
const MAX_POLICIES = 16;

interface Closable {
  close(): void;
}

/** The policies under which connections are opened, for private and for public peers. */
type Policies = readonly [forPrivate: Policy, forPublic: Policy];

interface SharedState {
  readonly policies: Policies;
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
  getOrCreate<T extends Closable>(scheme: Scheme, policies: Policies, make: () => T): T {
    const all = this.#states.get(scheme) ?? [];
    this.#states.set(scheme, all);
    const known = all.find((each) => policies.every((policy, index) => policy === each.policies[index]));
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
