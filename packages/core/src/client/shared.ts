import type { Socket } from "../guard/socket.ts";
import type { Policy } from "../guard/policy.ts";
import type { Scheme } from "../scheme.ts";

/** Policies at a time for which one scheme keeps something; a caller that makes one for each call gets no reuse, and no leak. */
const MAX_POLICIES = 16;

interface Closable {
  close(): void;
}

/** What the schemes of a client keep between accesses. A connection that one policy allowed is never used under another. */
export class Shared {
  readonly #kept = new Map<Scheme, Map<Policy, Closable>>();
  /** All that were ever held, and are open. A set that changed with every access would cost more than the rest of it. */
  readonly #sockets = new Set<Socket>();
  /** Those whose servers have been given a secret. */
  readonly #confided = new WeakSet<Socket>();
  #closed = false;

  /** What this scheme keeps under this policy, made when there is nothing yet. */
  of<T extends Closable>(scheme: Scheme, policy: Policy, make: () => T): T {
    const byPolicy = this.#kept.get(scheme) ?? new Map<Policy, Closable>();
    this.#kept.set(scheme, byPolicy);
    const known = byPolicy.get(policy) as T | undefined;
    if (known) return known;
    const [oldest] = byPolicy;
    if (oldest && byPolicy.size >= MAX_POLICIES) {
      byPolicy.delete(oldest[0]);
      oldest[1].close();
    }
    const made = make();
    byPolicy.set(policy, made);
    return made;
  }

  /** Lets a socket live between accesses, without keeping the process alive; `confided` when its server was given a secret. */
  hold(socket: Socket, confided: boolean): void {
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
  giveBack(socket: Socket): boolean {
    socket.ref();
    return this.#confided.has(socket);
  }

  close(): void {
    this.#closed = true;
    for (const byPolicy of this.#kept.values()) for (const kept of byPolicy.values()) kept.close();
    this.#kept.clear();
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }
}
