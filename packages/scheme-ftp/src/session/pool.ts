import { createHash } from "node:crypto";
import type { AccessContext } from "@anyscheme/core/plugin";
import { ConnectionPool } from "@anyscheme/core/io";
import type { Connection } from "./pooled-connection.ts";
import type { FtpOptions, CwdStrategy } from "../options.ts";

/** Servers of which something is kept in mind. */
const MAX_SERVERS = 1024;

/** What is known of one server, by host and port. */
export interface ServerRecord {
  readonly key: string;
  /** The code of the refusal of each unknown command. The text is not kept: it may repeat a secret of another request. */
  readonly unknown: Map<string, string>;
  /** Whether a port that it told in a reply to EPSV has been reached. */
  reachesExtended: boolean;
  /** The walk that it took. */
  walk: CwdStrategy | undefined;
  /** Users, as digests, of whom it wanted a password that had to be asked for. */
  readonly asked: Set<string>;
}

/** The connections that are kept, and what is known of their servers. One for each client and policy. */
export class SessionPool {
  readonly #servers = new Map<string, ServerRecord>();
  readonly #idle: ConnectionPool<Connection>;
  readonly #keeps: boolean;

  constructor({ idleTimeoutMs: idleMs = 15_000 }: FtpOptions) {
    this.#keeps = idleMs > 0;
    this.#idle = new ConnectionPool({ idleTimeoutMs: Math.max(1, idleMs) });
  }

  /** What is known of a server. Of many servers, the one that was used first is forgotten. */
  server(key: string): ServerRecord {
    const known = this.#servers.get(key);
    if (known) return known;
    const [first] = this.#servers.keys();
    if (this.#servers.size >= MAX_SERVERS && first !== undefined) this.#servers.delete(first);
    const made = {
      key,
      unknown: new Map<string, string>(),
      reachesExtended: false,
      walk: undefined,
      asked: new Set<string>(),
    };
    this.#servers.set(key, made);
    return made;
  }

  /** A kept connection of one of these identities, best one at this place; it belongs to the access from now on. */
  take(
    identities: readonly string[],
    suits: readonly ((connection: Connection) => boolean)[],
    context: Pick<AccessContext, "detach" | "attach">,
  ): Connection | undefined {
    for (const fits of suits) {
      for (const identity of identities) {
        const found = this.#idle.acquire(identity, context, fits);
        if (found) return found;
      }
    }
    return undefined;
  }

  /** Keeps a connection, or closes it where it is of no more use. */
  give(connection: Connection, context: Pick<AccessContext, "detach" | "attach">): void {
    if (this.#keeps) this.#idle.release(connection.identity, connection, context);
    else connection.close();
  }

  close(): void {
    this.#idle.close();
  }
}

/** A digest of who logs in where, and with what. No password stays in memory for it, and `undefined` is none. */
export function credentialsKey(server: string, user: string, password: Uint8Array | undefined): string {
  const hash = createHash("sha256").update(`${server}\n${user}\n`);
  return (password ? hash.update("with ").update(password) : hash.update("without")).digest("base64");
}
