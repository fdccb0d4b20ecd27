import type { Socket } from "../guard/socket.ts";
import type { AccessContext } from "../scheme.ts";

/** A connection that may serve more than one access. */
export interface Reusable {
  /** The socket that the guard opened. */
  readonly socket: Socket;
  /** Whether it may still be used: open, and with nothing unasked from its server. */
  readonly usable: boolean;
  close(): void;
}

export interface IdleOptions {
  /** How long a connection waits for its next use, in milliseconds. Default 15 000: shorter than servers usually wait. */
  readonly idleMs?: number | undefined;
  /** Idle connections of one key. Default 8. */
  readonly perKey?: number | undefined;
  /** Idle connections in all. Default 64. */
  readonly total?: number | undefined;
}

interface Waiting<C> {
  readonly key: string;
  readonly connection: C;
  readonly untilMs: number;
}

type Owner = Pick<AccessContext, "release" | "adopt">;

/** Idle connections by key; the one used last is used first, so that those that are not needed die of age. */
export class IdleConnections<C extends Reusable> {
  readonly #idleMs: number;
  readonly #perKey: number;
  readonly #total: number;
  /** In the order in which they were given back. */
  readonly #waiting = new Map<C, Waiting<C>>();
  readonly #byKey = new Map<string, C[]>();
  readonly #watched = new WeakSet<C>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ idleMs = 15_000, perKey = 8, total = 64 }: IdleOptions = {}) {
    this.#idleMs = idleMs;
    this.#perKey = perKey;
    this.#total = total;
  }

  /** Takes a connection out of its access and keeps it, or closes it where there is no room or it is of no more use. */
  keep(key: string, connection: C, owner: Owner): void {
    const ofKey = this.#byKey.get(key) ?? [];
    if (this.#closed || !connection.usable || ofKey.length >= this.#perKey) return connection.close();
    owner.release(connection.socket);
    this.#watch(connection);
    ofKey.push(connection);
    this.#byKey.set(key, ofKey);
    this.#waiting.set(connection, { key, connection, untilMs: performance.now() + this.#idleMs });
    if (this.#waiting.size > this.#total) this.#drop(this.#oldest()?.connection);
    this.#timer ??= this.#sweepAfter(this.#idleMs);
  }

  /** A connection of this key, or the one of them that suits best, which belongs to the access from now on. */
  take(key: string, owner: Owner, suits: (connection: C) => boolean = () => true): C | undefined {
    const ofKey = this.#byKey.get(key) ?? [];
    for (let index = ofKey.length - 1; index >= 0; index--) {
      const connection = ofKey[index];
      if (!connection || !suits(connection)) continue;
      this.#remove(connection);
      if (connection.usable) {
        owner.adopt(connection.socket);
        return connection;
      }
      connection.close();
    }
    return undefined;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const connection of this.#waiting.keys()) this.#drop(connection);
  }

  /** A waiting connection that ends, or is ended, waits no longer. Its listeners stay for the next time that it waits. */
  #watch(connection: C): void {
    if (this.#watched.has(connection)) return;
    this.#watched.add(connection);
    const over = (): void => {
      if (this.#waiting.has(connection)) this.#drop(connection);
    };
    connection.socket.once("close", over).once("end", over);
  }

  // One timer for all: one that is set and cleared at every use would be the dearest part of a small request.
  #sweepAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      const now = performance.now();
      for (let oldest = this.#oldest(); oldest && oldest.untilMs <= now; oldest = this.#oldest())
        this.#drop(oldest.connection);
      const next = this.#oldest();
      this.#timer = next && this.#sweepAfter(Math.max(1, next.untilMs - now));
    }, ms).unref();
  }

  #oldest(): Waiting<C> | undefined {
    for (const waiting of this.#waiting.values()) return waiting;
    return undefined;
  }

  #drop(connection: C | undefined): void {
    if (!connection) return;
    this.#remove(connection);
    connection.close();
  }

  #remove(connection: C): void {
    const key = this.#waiting.get(connection)?.key;
    if (key === undefined) return;
    this.#waiting.delete(connection);
    const ofKey = this.#byKey.get(key) ?? [];
    const index = ofKey.lastIndexOf(connection);
    if (index >= 0) ofKey.splice(index, 1);
    if (ofKey.length === 0) this.#byKey.delete(key);
  }
}
