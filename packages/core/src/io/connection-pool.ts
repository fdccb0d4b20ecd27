import { AccessError } from "../errors/access-error.ts";
import type { Socket } from "../network/connector.ts";
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
   * The time after which an idle connection is closed, in milliseconds. Default 15 000, because most servers close idle
   * connections later.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** The maximum number of idle connections with the same key. Default 8. */
  readonly maxIdlePerKey?: number | undefined;
  /** The maximum number of idle connections in total. Default 64. */
  readonly maxIdle?: number | undefined;
}

/** An idle connection in the pool. */
interface IdleConnection<C> {
  readonly key: string;
  readonly connection: C;
  readonly expiresMs: number;
  /** Closes the connection when its socket ends. */
  readonly onEnd: () => void;
}

type PoolUser = Pick<AccessContext, "detach" | "attach">;

/**
 * Stores idle connections by key. The most recently used connection is reused first, so that the other connections
 * reach their idle timeout.
 */
export class ConnectionPool<C extends PooledConnection> {
  readonly #idleTimeoutMs: number;
  readonly #maxIdlePerKey: number;
  readonly #maxIdle: number;
  /** The idle connections in the order of their release. */
  readonly #idle = new Set<IdleConnection<C>>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ idleTimeoutMs = 15_000, maxIdlePerKey = 8, maxIdle = 64 }: ConnectionPoolOptions = {}) {
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#maxIdlePerKey = maxIdlePerKey;
    this.#maxIdle = maxIdle;
  }

  /**
   * Detaches a connection from its request and adds it to the pool. The pool closes the connection if the connection is
   * not reusable, or if the pool is full or closed.
   */
  release(key: string, connection: C, owner: PoolUser): void {
    if (this.#isClosed || !connection.isReusable || this.#ofKey(key).length >= this.#maxIdlePerKey)
      return connection.close();
    const idle: IdleConnection<C> = {
      key,
      connection,
      expiresMs: performance.now() + this.#idleTimeoutMs,
      onEnd: () => this.#close(idle),
    };
    connection.socket.once("close", idle.onEnd).once("end", idle.onEnd);
    this.#idle.add(idle);
    const [oldest] = this.#idle;
    if (oldest && this.#idle.size > this.#maxIdle) this.#close(oldest);
    this.#timer ??= this.#closeExpiredAfter(this.#idleTimeoutMs);
    // Detaching must be the last call, because a waiting request acquires the connection at once.
    owner.detach(connection.socket, () => connection.close());
  }

  /** Returns an idle connection with this key, attached to `owner`. `suits` filters the connections. */
  acquire(key: string, owner: PoolUser, suits: (connection: C) => boolean = () => true): C | undefined {
    for (const idle of this.#ofKey(key).toReversed()) {
      const { connection } = idle;
      if (!suits(connection)) continue;
      this.#remove(idle);
      if (connection.isReusable) {
        owner.attach(connection.socket);
        return connection;
      }
      connection.close();
    }
    return undefined;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const idle of this.#idle) this.#close(idle);
  }

  #ofKey(key: string): IdleConnection<C>[] {
    return [...this.#idle].filter((idle) => idle.key === key);
  }

  #closeExpiredAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      const now = performance.now();
      for (const idle of this.#idle) {
        if (idle.expiresMs > now) break;
        this.#close(idle);
      }
      const [oldest] = this.#idle;
      this.#timer = oldest && this.#closeExpiredAfter(Math.max(1, oldest.expiresMs - now));
    }, ms).unref();
  }

  #close(idle: IdleConnection<C>): void {
    this.#remove(idle);
    idle.connection.close();
  }

  #remove(idle: IdleConnection<C>): void {
    this.#idle.delete(idle);
    idle.connection.socket.removeListener("close", idle.onEnd).removeListener("end", idle.onEnd);
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
