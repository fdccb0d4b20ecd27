import type { AccessContext, Socket, TlsOptions } from "@anyscheme/core/plugin";
import { CommandConnection, type PooledConnection, type Reply } from "@anyscheme/core/io";
import type { RequestPlan } from "../plan/request-plan.ts";
import { NNTP_PROTOCOL } from "./reply.ts";

/** A connection to a news server, with its login and selected group. */
export class NntpConnection implements PooledConnection {
  readonly commands: CommandConnection<Reply>;
  /** The selected group. */
  group: string | undefined;
  /** The key of the login, from `credentialsKey`. */
  login: string | undefined;

  private constructor(commands: CommandConnection<Reply>) {
    this.commands = commands;
  }

  /** Connects to the server. Does not run further steps of the plan. */
  static async connect(
    { connect, server }: RequestPlan,
    context: AccessContext,
    tls: TlsOptions,
  ): Promise<NntpConnection> {
    // A server of a news URL may use nntps, which has other permitted ports.
    const options = { tls, protocol: server.scheme };
    return new NntpConnection(await CommandConnection.connect(connect, context, NNTP_PROTOCOL, options));
  }

  get socket(): Socket {
    return this.commands.socket;
  }

  get isReusable(): boolean {
    return this.commands.isReusable;
  }

  close(): void {
    this.commands.close();
  }
}
