import type { Socket } from "../../network/connector.ts";
import type { Policy } from "../../policy/policy.ts";
import type { Scheme } from "../../scheme/scheme.ts";

/** Policies at a time for which one scheme keeps something; a caller that makes one for each call gets no reuse, and no leak. */
const MAX_POLICIES = 16;

interface Closable {
  close(): void;
}

/** The policies under which connections are opened, for private and for public peers. */
type Policies = readonly [ofPrivate: Policy, ofPublic: Policy];

interface Kept {
  readonly policies: Policies;
  readonly kept: Closable;
}

/** What the schemes of a client keep between accesses. A connection that one policy allowed is never used under another. */
export class ConnectionStore {
  readonly #kept = new Map<Scheme, Kept[]>();
  /** All that were ever held, and are open. A set that changed with every access would cost more than the rest of it. */
  readonly #sockets = new Set<Socket>();
  /** Those whose servers have been given a secret. */
  readonly #confided = new WeakSet<Socket>();
  #closed = false;

  /** What this scheme keeps under these policies, made when there is nothing yet. */
  getOrCreate<T extends Closable>(scheme: Scheme, policies: Policies, make: () => T): T {
    const all = this.#kept.get(scheme) ?? [];
    this.#kept.set(scheme, all);
    const known = all.find((each) => policies.every((policy, index) => policy === each.policies[index]));
    if (known) return known.kept as T;
    if (all.length >= MAX_POLICIES) all.shift()?.kept.close();
    const made = make();
    all.push({ policies, kept: made });
    return made;
  }

  /** Lets a socket live between accesses, without keeping the process alive; `confided` when its server was given a secret. */
  addIdle(socket: Socket, confided: boolean): void {
    if (confided) this.#confided.add(socket);
    if (this.#closed || socket.destroyed) {
      socket.destroy();
      return;
    }
    socket.unref();
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  /** Gives a socket back to an access. True when its server was given a secret. */
  markActive(socket: Socket): boolean {
    socket.ref();
    return this.#confided.has(socket);
  }

  close(): void {
    this.#closed = true;
    for (const all of this.#kept.values()) for (const { kept } of all) kept.close();
    this.#kept.clear();
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }
}
