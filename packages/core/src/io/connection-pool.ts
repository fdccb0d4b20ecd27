import { Chain, type Link } from "../chain.ts";
import type { Socket } from "../network/socket.ts";
import type { AccessContext } from "../scheme/scheme.ts";

/** A connection that may serve more than one access. */
export interface PooledConnection {
  /** The socket that the guard opened. */
  readonly socket: Socket;
  /** Whether it may still be used: open, and with nothing unasked from its server. */
  readonly isReusable: boolean;
  close(): void;
}

export interface ConnectionPoolOptions {
  /** How long a connection waits for its next use, in milliseconds. Default 15 000: shorter than servers usually wait. */
  readonly idleTimeoutMs?: number | undefined;
  /** Idle connections of one key. Default 8. */
  readonly maxIdlePerKey?: number | undefined;
  /** Idle connections in all. Default 64. */
  readonly maxIdle?: number | undefined;
}

/** A connection that is or was kept here. */
interface Kept<C> {
  readonly connection: C;
  key: string;
  untilMs: number;
  /** Its place among those that wait, as long as it does. */
  link: Link<Kept<C>> | undefined;
}

type Owner = Pick<AccessContext, "detach" | "attach">;

/** Idle connections by key; the one used last is used first, so that those that are not needed die of age. */
export class ConnectionPool<C extends PooledConnection> {
  readonly #idleMs: number;
  readonly #perKey: number;
  readonly #total: number;
  /** In the order in which they were given back. */
  readonly #waiting = new Chain<Kept<C>>();
  readonly #byKey = new Map<string, C[]>();
  readonly #records = new WeakMap<C, Kept<C>>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({
    idleTimeoutMs: idleMs = 15_000,
    maxIdlePerKey: perKey = 8,
    maxIdle: total = 64,
  }: ConnectionPoolOptions = {}) {
    this.#idleMs = idleMs;
    this.#perKey = perKey;
    this.#total = total;
  }

  /** Takes a connection out of its access and keeps it, or closes it where there is no room or it is of no more use. */
  release(key: string, connection: C, owner: Owner): void {
    const ofKey = this.#byKey.get(key) ?? [];
    if (this.#closed || !connection.isReusable || ofKey.length >= this.#perKey) return connection.close();
    if (ofKey.push(connection) === 1) this.#byKey.set(key, ofKey);
    const record = this.#recordOf(connection);
    record.key = key;
    record.untilMs = performance.now() + this.#idleMs;
    record.link = this.#waiting.add(record);
    if (this.#waiting.size > this.#total) this.#drop(this.#waiting.first);
    this.#timer ??= this.#sweepAfter(this.#idleMs);
    // Last, since a request that waits takes it from here at once.
    owner.detach(connection.socket, () => connection.close());
  }

  /** A connection of this key, or the one of them that suits best, which belongs to the access from now on. */
  acquire(key: string, owner: Owner, suits: (connection: C) => boolean = () => true): C | undefined {
    const ofKey = this.#byKey.get(key) ?? [];
    for (let index = ofKey.length - 1; index >= 0; index--) {
      const connection = ofKey[index];
      if (!connection || !suits(connection)) continue;
      this.#remove(this.#recordOf(connection));
      if (connection.isReusable) {
        owner.attach(connection.socket);
        return connection;
      }
      connection.close();
    }
    return undefined;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const record of this.#waiting.values()) this.#drop(record);
  }

  /** A waiting connection that ends, or is ended, waits no longer. Its listeners stay for the next time that it waits. */
  #recordOf(connection: C): Kept<C> {
    const known = this.#records.get(connection);
    if (known) return known;
    const record: Kept<C> = { connection, key: "", untilMs: 0, link: undefined };
    this.#records.set(connection, record);
    const over = (): void => {
      if (record.link) this.#drop(record);
    };
    connection.socket.once("close", over).once("end", over);
    return record;
  }

  // One timer for all: one that is set and cleared at every use would be the dearest part of a small request.
  #sweepAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      const now = performance.now();
      for (let oldest = this.#waiting.first; oldest && oldest.untilMs <= now; oldest = this.#waiting.first)
        this.#drop(oldest);
      const next = this.#waiting.first;
      this.#timer = next && this.#sweepAfter(Math.max(1, next.untilMs - now));
    }, ms).unref();
  }

  #drop(record: Kept<C> | undefined): void {
    if (!record) return;
    this.#remove(record);
    record.connection.close();
  }

  #remove(record: Kept<C>): void {
    if (!record.link) return;
    this.#waiting.remove(record.link);
    record.link = undefined;
    const ofKey = this.#byKey.get(record.key) ?? [];
    const index = ofKey.lastIndexOf(record.connection);
    if (index >= 0) ofKey.splice(index, 1);
    if (ofKey.length === 0) this.#byKey.delete(record.key);
  }
}
