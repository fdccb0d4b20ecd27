import { ConnectionPool } from "@anyscheme/core/io";
import type { Endpoint } from "@anyscheme/core/plugin";
import type { CwdStrategy, FtpOptions } from "../options.ts";
import type { FtpRequest, FtpSession } from "./session.ts";

const MAX_STORED_SERVERS = 1024;

/** The maximum number of users of one server whose password was requested. Further users clear the set. */
const MAX_PROMPTED_USERS = 1024;

/** The state that a client stores for one server, by host and port. */
export interface FtpServerState {
  readonly key: string;
  readonly host: string;
  /**
   * The commands that the server has refused, with the reply codes. The pool does not store the text of a reply,
   * because the text may contain a secret of another request.
   */
  readonly unsupportedCommands: Map<string, string>;
  /** True after a data connection to a port from a reply to EPSV has succeeded. */
  isEpsvPortReachable: boolean;
  /** The last CWD strategy that the server accepted. */
  cwdStrategy: CwdStrategy | undefined;
  /** Digests of the users whose password the server required and the URL lacked. */
  readonly usersPromptedForPassword: Set<string>;
}

/** Records a user whose password the server required. */
export function recordPromptedUser({ usersPromptedForPassword: users }: FtpServerState, key: string): void {
  if (users.size >= MAX_PROMPTED_USERS) users.clear();
  users.add(key);
}

/** The idle sessions of one client and policy, and the state of their servers. */
export class FtpSessionPool {
  readonly #servers = new Map<string, FtpServerState>();
  readonly #idle: ConnectionPool<FtpSession>;

  constructor({ idleTimeoutMs = 15_000 }: FtpOptions) {
    this.#idle = new ConnectionPool({ idleTimeoutMs });
  }

  /** Returns the state of a server. Deletes the state of the oldest server when too many servers are stored. */
  getServerState({ host, port }: Endpoint): FtpServerState {
    const key = `${host}:${port}`;
    const known = this.#servers.get(key);
    if (known) return known;
    const [oldest] = this.#servers.keys();
    if (this.#servers.size >= MAX_STORED_SERVERS && oldest !== undefined) this.#servers.delete(oldest);
    const newServer: FtpServerState = {
      key,
      host,
      unsupportedCommands: new Map(),
      isEpsvPortReachable: false,
      cwdStrategy: undefined,
      usersPromptedForPassword: new Set(),
    };
    this.#servers.set(key, newServer);
    return newServer;
  }

  /** Returns an idle session with one of the given pool keys. The pool keys are in order of preference. */
  acquire(
    keys: readonly string[],
    preferences: readonly ((session: FtpSession) => boolean)[],
    request: FtpRequest,
  ): FtpSession | undefined {
    for (const isPreferred of preferences) {
      for (const key of keys) {
        const session = this.#idle.acquire(key, request.context, isPreferred);
        session?.beginRequest(request);
        if (session) return session;
      }
    }
    return undefined;
  }

  /** Returns the session to the pool, or closes a session that cannot be reused. */
  release(session: FtpSession): void {
    const { poolKey } = session;
    const isLocated = session.workingDirectory !== undefined || session.loginDirectory !== undefined;
    if (poolKey === undefined || !isLocated || !session.isReusable) return session.close();
    session.connection.detachFromRequest();
    this.#idle.release(poolKey, session, session.request.context);
  }

  close(): void {
    this.#idle.close();
  }
}
