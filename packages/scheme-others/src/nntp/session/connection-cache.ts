import type { Limits } from "@anyscheme/core";
import { ConnectionPool } from "@anyscheme/core/io";
import type { NntpUrl } from "../syntax.ts";
import type { NntpConnection } from "./connection.ts";

const MAX_LOGIN_SERVERS = 256;

/** The idle connections of a client, and the servers that required a login. */
export class ConnectionCache {
  readonly pool: ConnectionPool<NntpConnection> = new ConnectionPool();
  readonly #loginServers = new Set<string>();

  requiresLogin(server: NntpUrl): boolean {
    return this.#loginServers.has(serverKey(server));
  }

  /** Records that a server requires a login. Clears the set of servers first when it is full. */
  addLoginServer(server: NntpUrl): void {
    if (this.#loginServers.size >= MAX_LOGIN_SERVERS) this.#loginServers.clear();
    this.#loginServers.add(serverKey(server));
  }

  close(): void {
    this.pool.close();
  }
}

/**
 * Returns the key of the connections that a request can reuse. Such connections have the same server, login and
 * limits.
 */
export function poolKey(server: NntpUrl, login: string | undefined, limits: Limits): string {
  const { firstByteTimeoutMs, idleTimeoutMs, maxNntpLineBytes } = limits;
  return `${serverKey(server)} ${login ?? ""} ${firstByteTimeoutMs} ${idleTimeoutMs} ${maxNntpLineBytes}`;
}

function serverKey({ scheme, effectiveHost, effectivePort }: NntpUrl): string {
  return `${scheme} ${effectiveHost} ${effectivePort}`;
}
