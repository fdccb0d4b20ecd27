import { ConnectionPool } from "@anyscheme/core/io";
import type { Endpoint } from "@anyscheme/core/plugin";
import type { CwdStrategy, FtpOptions } from "../options.ts";
import type { FtpSession, SessionUser } from "./session.ts";

const MAX_SERVERS = 1024;

/** The state that a client stores for one server, by host and port. */
export interface ServerState {
  readonly key: string;
  readonly host: string;
  /**
   * Refused commands with the reply code. The text of the reply is not stored: it may contain a secret of another
   * request.
   */
  readonly unsupportedCommands: Map<string, string>;
  /** True after a data connection to a port from a reply to EPSV has succeeded. */
  isEpsvReachable: boolean;
  /** The last strategy that the server accepted. */
  cwdStrategy: CwdStrategy | undefined;
  /** Digests of the users whose password the server required and the URL lacked. */
  readonly promptedUsers: Set<string>;
}

/** The idle sessions of one client and policy, and the state of their servers. */
export class SessionPool {
  readonly #servers = new Map<string, ServerState>();
  readonly #idle: ConnectionPool<FtpSession> | undefined;

  constructor({ idleTimeoutMs = 15_000 }: FtpOptions) {
    if (idleTimeoutMs > 0) this.#idle = new ConnectionPool({ idleTimeoutMs });
  }

  /** Returns the state of a server. Drops the oldest state when there are too many servers. */
  server({ host, port }: Endpoint): ServerState {
    const key = `${host}:${port}`;
    const known = this.#servers.get(key);
    if (known) return known;
    const [oldest] = this.#servers.keys();
    if (this.#servers.size >= MAX_SERVERS && oldest !== undefined) this.#servers.delete(oldest);
    const server: ServerState = {
      key,
      host,
      unsupportedCommands: new Map(),
      isEpsvReachable: false,
      cwdStrategy: undefined,
      promptedUsers: new Set(),
    };
    this.#servers.set(key, server);
    return server;
  }

  /**
   * Returns an idle session with one of these keys. The first preference that any session satisfies selects the
   * session.
   */
  acquire(
    keys: readonly string[],
    preferences: readonly ((session: FtpSession) => boolean)[],
    user: SessionUser,
  ): FtpSession | undefined {
    for (const isPreferred of preferences) {
      for (const key of keys) {
        const session = this.#idle?.acquire(key, user.context, isPreferred);
        if (!session) continue;
        session.attach(user);
        return session;
      }
    }
    return undefined;
  }

  /** Returns the session to the pool, or closes it if it cannot be reused. */
  release(session: FtpSession): void {
    const { poolKey } = session;
    const isLocated = session.workingDirectory !== undefined || session.loginDirectory !== undefined;
    if (!this.#idle || poolKey === undefined || !isLocated || !session.isReusable) return session.close();
    session.connection.detach();
    this.#idle.release(poolKey, session, session.context);
  }

  close(): void {
    this.#idle?.close();
  }
}
