import { AccessError } from "../errors/access-error.ts";
import type { Socket } from "../network/guard-context.ts";
import type { AccessContext } from "../scheme/context.ts";

/** A connection that can serve more than one request. */
export interface PooledConnection {
  readonly socket: Socket;
  /** True while the connection is open and has received no unsolicited bytes. */
  readonly isReusable: boolean;
  close(): void;
}

export interface ConnectionPoolOptions {
  /**
   * The time after which an idle connection is closed, in milliseconds. 0: connections are not reused. Default 15 000,
   * because most servers close idle connections later.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** The maximum number of idle connections with the same key. Default 8. */
  readonly maxIdlePerKey?: number | undefined;
  /** The maximum number of idle connections in total. Default 64. */
  readonly maxIdle?: number | undefined;
}

interface IdleConnection<C> {
  readonly key: string;
  readonly connection: C;
  readonly expiresMs: number;
  /** Closes the idle connection when its server or its socket ends it. */
  readonly onEnd: () => void;
}

type PoolUser = Pick<AccessContext, "detachSocket" | "attachSocket">;

/**
 * Stores idle connections by key. The most recently used connection is reused first, so that the other connections
 * reach their idle timeout.
 */
export class ConnectionPool<C extends PooledConnection> {
  readonly #idleTimeoutMs: number;
  readonly #maxIdlePerKey: number;
  readonly #maxIdle: number;
  /** The idle connections by key, in the order of their release. */
  readonly #idle = new Map<string, IdleConnection<C>[]>();
  #idleCount = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ idleTimeoutMs = 15_000, maxIdlePerKey = 8, maxIdle = 64 }: ConnectionPoolOptions = {}) {
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#maxIdlePerKey = maxIdlePerKey;
    this.#maxIdle = maxIdle;
  }

  /**
   * Detaches a connection from its request and adds it to the pool. Closes the connection instead if it is not
   * reusable, if the pool is closed, or if too many connections with this key are idle. If too many connections are
   * idle in total, the pool closes the oldest one.
   */
  release(key: string, connection: C, owner: PoolUser): void {
    const sameKey = this.#idle.get(key) ?? [];
    const isKept =
      !this.#isClosed &&
      this.#idleTimeoutMs > 0 &&
      connection.isReusable &&
      sameKey.length < this.#maxIdlePerKey;
    if (!isKept) return connection.close();
    const idle: IdleConnection<C> = {
      key,
      connection,
      expiresMs: performance.now() + this.#idleTimeoutMs,
      onEnd: () => this.#close(idle),
    };
    connection.socket.once("close", idle.onEnd).once("end", idle.onEnd);
    sameKey.push(idle);
    this.#idle.set(key, sameKey);
    const oldest = ++this.#idleCount > this.#maxIdle ? this.#findOldest() : undefined;
    if (oldest) this.#close(oldest);
    this.#timer ??= this.#closeExpiredAfter(this.#idleTimeoutMs);
    // Detaching must be the last call, because a waiting request acquires the connection at once.
    owner.detachSocket(connection.socket, () => connection.close());
  }

  /** Returns an idle connection with the given key, attached to `owner`. `suits` filters the connections. */
  acquire(key: string, owner: PoolUser, suits?: (connection: C) => boolean): C | undefined {
    for (;;) {
      const sameKey = this.#idle.get(key);
      const idle = suits ? sameKey?.findLast((each) => suits(each.connection)) : sameKey?.at(-1);
      if (!idle) return undefined;
      const { connection } = idle;
      this.#remove(idle);
      if (connection.isReusable) {
        owner.attachSocket(connection.socket);
        return connection;
      }
      connection.close();
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const sameKey of this.#idle.values()) for (const idle of sameKey.slice()) this.#close(idle);
  }

  #closeExpiredAfter(ms: number): NodeJS.Timeout | undefined {
    if (ms === Infinity) return undefined;
    return setTimeout(() => {
      const now = performance.now();
      let oldest = this.#findOldest();
      for (; oldest && oldest.expiresMs <= now; oldest = this.#findOldest()) this.#close(oldest);
      this.#timer = oldest && this.#closeExpiredAfter(Math.max(1, oldest.expiresMs - now));
    }, ms).unref();
  }

  #findOldest(): IdleConnection<C> | undefined {
    let oldest: IdleConnection<C> | undefined;
    for (const [first] of this.#idle.values())
      if (first && (!oldest || first.expiresMs < oldest.expiresMs)) oldest = first;
    return oldest;
  }

  #close(idle: IdleConnection<C>): void {
    this.#remove(idle);
    idle.connection.close();
  }

  #remove(idle: IdleConnection<C>): void {
    const sameKey = this.#idle.get(idle.key);
    const index = sameKey?.lastIndexOf(idle) ?? -1;
    if (!sameKey || index < 0) return;
    sameKey.splice(index, 1);
    idle.connection.socket.off("close", idle.onEnd).off("end", idle.onEnd);
    this.#idleCount--;
    if (sameKey.length === 0) this.#idle.delete(idle.key);
  }
}

/**
 * True for a connection that was refused, or reset before its first byte. Some servers refuse or reset connections when
 * they have too many connections.
 */
export function isRefusedOrReset(error: unknown): boolean {
  if (!(error instanceof AccessError) || error.code !== "unavailable") return false;
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return code === "ECONNREFUSED" || code === "ECONNRESET" || code === "EPIPE";
}

/**
 * Returns a digest of credentials, which serves as a key of a pool or cache. The digest does not reveal the password.
 */
export function hashCredentials(parts: readonly unknown[]): string {
  // The function loads `node:crypto` at its first call, because most schemes do not need it.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64");
}
