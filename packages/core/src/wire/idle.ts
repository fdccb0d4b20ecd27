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
  readonly stop: () => void;
}

type Owner = Pick<AccessContext, "release" | "adopt">;

/** Idle connections by key; the one used last is used first, so that those that are not needed die of age. */
export class IdleConnections<C extends Reusable> {
  readonly #idleMs: number;
  readonly #perKey: number;
  readonly #total: number;
  #waiting: Waiting<C>[] = [];
  #closed = false;

  constructor({ idleMs = 15_000, perKey = 8, total = 64 }: IdleOptions = {}) {
    this.#idleMs = idleMs;
    this.#perKey = perKey;
    this.#total = total;
  }

  /** Takes a connection out of its access and keeps it, or closes it where there is no room or it is of no more use. */
  keep(key: string, connection: C, owner: Owner): void {
    const ofKey = this.#waiting.filter((other) => other.key === key).length;
    if (this.#closed || !connection.usable || ofKey >= this.#perKey) return connection.close();
    owner.release(connection.socket);
    const { socket } = connection;
    const drop = (): void => {
      this.#remove(connection)?.stop();
      connection.close();
    };
    const timer = setTimeout(drop, this.#idleMs);
    timer.unref();
    socket.once("close", drop).once("end", drop);
    const stop = (): void => {
      clearTimeout(timer);
      socket.off("close", drop).off("end", drop);
    };
    this.#waiting.push({ key, connection, stop });
    const [oldest] = this.#waiting;
    if (oldest && this.#waiting.length > this.#total) {
      this.#remove(oldest.connection)?.stop();
      oldest.connection.close();
    }
  }

  /** A connection of this key, or the one of them that suits best, which belongs to the access from now on. */
  take(key: string, owner: Owner, suits: (connection: C) => boolean = () => true): C | undefined {
    for (const { connection, ...waiting } of this.#waiting.toReversed()) {
      if (waiting.key !== key || !suits(connection)) continue;
      this.#remove(connection)?.stop();
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
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { connection, stop } of waiting) {
      stop();
      connection.close();
    }
  }

  #remove(connection: C): Waiting<C> | undefined {
    const index = this.#waiting.findIndex((other) => other.connection === connection);
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0];
  }
}
