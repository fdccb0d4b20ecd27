import type { AccessContext, Socket } from "@anyscheme/core/plugin";
import {
  CommandReplyConnection,
  type CommandReplyConnectionOptions,
  ConnectionPool,
  type PooledConnection,
  type Reply,
} from "@anyscheme/core/io";
import type { NntpRequestPlan } from "../plan.ts";
import type { NntpUrl } from "../syntax.ts";
import { NNTP_REPLY_PROTOCOL } from "./reply.ts";
import type { NntpLimits } from "../scheme-options.ts";

/** A connection to a news server, with its login and selected group. */
export class PooledNntpConnection implements PooledConnection {
  readonly commandConnection: CommandReplyConnection<Reply>;
  /** The newsgroup that the last GROUP command selected. */
  selectedGroup: string | undefined;
  /** The digest of the credentials that the client has sent, from `hashCredentials`. */
  loginDigest: string | undefined;

  private constructor(commandConnection: CommandReplyConnection<Reply>) {
    this.commandConnection = commandConnection;
  }

  /** Connects to the NNTP server. The caller runs the steps of the NNTP plan after the connection is open. */
  static async connect(
    plan: NntpRequestPlan,
    context: AccessContext,
    options: CommandReplyConnectionOptions,
  ): Promise<PooledNntpConnection> {
    return new PooledNntpConnection(
      await CommandReplyConnection.connect(plan.connect, context, NNTP_REPLY_PROTOCOL, {
        ...options,
        // The server of a news URL may use the scheme nntps, which permits other ports.
        applicationProtocol: plan.server.scheme,
      }),
    );
  }

  get socket(): Socket {
    return this.commandConnection.socket;
  }

  get isReusable(): boolean {
    return this.commandConnection.isReusable;
  }

  close(): void {
    this.commandConnection.close();
  }
}

const MAX_LOGIN_SERVERS = 256;

/** The idle connections of a client, and the servers that required a login. */
export class NntpConnectionCache {
  readonly pool: ConnectionPool<PooledNntpConnection> = new ConnectionPool();
  readonly #loginServers = new Set<string>();

  requiresLogin(server: NntpUrl): boolean {
    return this.#loginServers.has(createServerKey(server));
  }

  /**
   * Records that a server requires a login. If the set of servers that require a login is full, clears the set first.
   */
  recordLoginRequired(server: NntpUrl): void {
    if (this.#loginServers.size >= MAX_LOGIN_SERVERS) this.#loginServers.clear();
    this.#loginServers.add(createServerKey(server));
  }

  close(): void {
    this.pool.close();
  }
}

/**
 * Returns the pool key of the NNTP connections that a request can reuse. All connections with the same key have the
 * same server, login and limits.
 */
export function createConnectionPoolKey(
  server: NntpUrl,
  login: string | undefined,
  limits: NntpLimits,
): string {
  const { firstByteTimeoutMs, idleTimeoutMs, maxNntpLineBytes } = limits;
  return [createServerKey(server), login, firstByteTimeoutMs, idleTimeoutMs, maxNntpLineBytes].join(" ");
}

function createServerKey({ scheme, effectiveHost, effectivePort }: NntpUrl): string {
  return `${scheme} ${effectiveHost} ${effectivePort}`;
}
