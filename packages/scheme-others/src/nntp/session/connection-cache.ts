import { createHash } from "node:crypto";
import type { Credentials, Limits } from "@anyscheme/core";
import { ConnectionPool } from "@anyscheme/core/io";
import type { NntpConnection } from "./connection.ts";
import type { NntpUrl } from "../syntax.ts";

/** Servers that are remembered to want a login. */
const MAX_LOGINS = 256;

/** What a client keeps between accesses: idle connections, and which servers wanted to know who we are. */
export class ConnectionCache {
  readonly idle: ConnectionPool<NntpConnection> = new ConnectionPool();
  readonly #wantLogin = new Set<string>();

  requiresLogin(server: NntpUrl): boolean {
    return this.#wantLogin.size > 0 && this.#wantLogin.has(serverKey(server));
  }

  addLoginServer(server: NntpUrl): void {
    if (this.#wantLogin.size >= MAX_LOGINS) this.#wantLogin.clear();
    this.#wantLogin.add(serverKey(server));
  }

  close(): void {
    this.idle.close();
  }
}

/** Whom a login makes of us, without the password itself. */
export function credentialsKey({ user = "", password }: Credentials): string {
  return createHash("sha256")
    .update(JSON.stringify([user, password]))
    .digest("base64");
}

/** Connections of one key serve the same accesses: the same server, the same login, the same time limits. */
export function poolKey(server: NntpUrl, login: string | undefined, limits: Limits): string {
  const { firstByteTimeoutMs, idleTimeoutMs, maxNntpLineBytes } = limits;
  return `${serverKey(server)} ${login ?? ""} ${firstByteTimeoutMs} ${idleTimeoutMs} ${maxNntpLineBytes}`;
}

function serverKey({ scheme, effectiveHost, effectivePort }: NntpUrl): string {
  return `${scheme} ${effectiveHost} ${effectivePort}`;
}
