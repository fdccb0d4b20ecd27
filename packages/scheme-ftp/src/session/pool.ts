// The pool of a client's sessions: how a request gets its session, logs in, and returns the session.
import { AccessError } from "@anyscheme/core";
import {
  CommandReplyConnection,
  type CommandReplyProtocolDefinition,
  ConnectionPool,
  isRefusedOrReset,
  type Reply,
} from "@anyscheme/core/io";
import {
  type AccessContext,
  createLimitError,
  type Endpoint,
  type PlanOptions,
} from "@anyscheme/core/plugin";
import type { CwdStrategy, FtpOptions } from "../scheme-options.ts";
import type { FtpPlan, FtpOperationPhases } from "../plan/plan-types.ts";
import { FtpCredentials } from "./credentials.ts";
import { FtpReplyError, createFtpReplyError } from "./reply-errors.ts";
import { formatFtpReplyLines, FtpReplyParser, isClosingReply } from "./reply.ts";
import { type FtpRequest, FtpSession, CwdNeedsNewSessionError } from "./session.ts";

const MAX_STORED_SERVERS = 1024;

/**
 * The maximum number of retries after the policy refused the port of a data connection. The policy rarely refuses a
 * data port that an FTP server has chosen at random. A server that offers several refused ports probably uses the
 * client to scan ports.
 */
const MAX_REFUSED_PORTS = 2;

/** The parsing and the meaning of replies on the control connection (RFC 959 §4.2, §5.4). */
const FTP_PROTOCOL: CommandReplyProtocolDefinition<Reply> = {
  createParser: (limits) => new FtpReplyParser(limits),
  formatReply: formatFtpReplyLines,
  createReplyError: (reply, step) => createFtpReplyError(reply, step),
  isPreliminaryReply: ({ code }) => code.startsWith("1"),
  isClosingReply,
  connectionName: "control connection",
};

/** The state that a client stores for one server, by host and port. */
export interface RememberedFtpServerState {
  readonly key: string;
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

/** The idle sessions of one client and policy, and the state of their servers. */
export class FtpSessionPool {
  readonly #servers = new Map<string, RememberedFtpServerState>();
  readonly #idle: ConnectionPool<FtpSession>;

  constructor({ idleTimeoutMs = 15_000 }: FtpOptions) {
    this.#idle = new ConnectionPool({ idleTimeoutMs });
  }

  /**
   * Returns the state that the client stores for an FTP server. Deletes the state of the oldest server when too many
   * servers are stored.
   */
  getServerState({ host, port }: Endpoint): RememberedFtpServerState {
    const key = `${host}:${port}`;
    const known = this.#servers.get(key);
    if (known) return known;
    const [oldest] = this.#servers.keys();
    if (this.#servers.size >= MAX_STORED_SERVERS && oldest !== undefined) this.#servers.delete(oldest);
    const newServer: RememberedFtpServerState = {
      key,
      unsupportedCommands: new Map(),
      isEpsvPortReachable: false,
      cwdStrategy: undefined,
      usersPromptedForPassword: new Set(),
    };
    this.#servers.set(key, newServer);
    return newServer;
  }

  /**
   * Returns an idle FTP session with one of the given pool keys. The pool keys of the FTP sessions are in order of
   * preference.
   */
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

/** Creates a request. Throws `limit` for a plan with a command that is too long. */
export function createFtpRequest<T extends FtpOperationPhases, O extends PlanOptions>(
  plan: FtpPlan<T>,
  context: AccessContext<unknown>,
  requestOptions: O,
  schemeOptions: FtpOptions,
): FtpRequest<T, O> {
  const { url, steps } = plan;
  const { limits } = context;
  if (steps.some(({ bytes }) => bytes && bytes.length > limits.maxCommandBytes))
    throw createLimitError("maxCommandBytes", limits, "an FTP command is too long");
  const pool = context.getSharedState(() => new FtpSessionPool(schemeOptions));
  const endpoint = { host: url.effectiveHost, port: url.effectivePort };
  const serverState = pool.getServerState(endpoint);
  const credentials = new FtpCredentials({ url, serverState, context, email: requestOptions.email });
  return {
    plan,
    context,
    requestOptions,
    schemeOptions,
    pool,
    endpoint,
    serverState,
    credentials,
    refusedCwdSequences: new Set(),
    refusedPortCount: 0,
  };
}

/** Returns an idle session from the pool, or opens a new one. */
export async function acquireFtpSession(request: FtpRequest): Promise<FtpSession> {
  const { plan, pool, context, credentials, schemeOptions } = request;
  const { cwdSequences, operation } = plan.phases;
  const keys = await credentials.getPoolKeys();
  const isInDirectory = ({ workingDirectory }: FtpSession): boolean =>
    cwdSequences.some(({ finalWorkingDirectory }) => finalWorkingDirectory === workingDirectory);
  const isInLoginDirectory = ({ workingDirectory }: FtpSession): boolean => workingDirectory === "";
  const canReturn = ({ loginDirectory }: FtpSession): boolean => loginDirectory !== undefined;
  // An operation that must not be repeated needs a verified connection. The commands that return to the login directory
  // verify that the server still replies.
  const preferences = operation.isIdempotent ? [isInDirectory, isInLoginDirectory, canReturn] : [canReturn];
  let connection: CommandReplyConnection<Reply> | undefined;
  return context.acquireConnection<FtpSession>(request.endpoint, {
    takeIdleConnection: () => pool.acquire(keys, preferences, request),
    async openConnection(connect) {
      connection = undefined;
      connection = await CommandReplyConnection.connect(plan.phases.connect, context, FTP_PROTOCOL, {
        connect,
        tls: { ca: schemeOptions.ca },
      });
      return logIn(connection, request);
    },
    isServerFull: (error) => hasTooManyConnections(error, connection),
    poolIdleConnection: (session) => pool.release(session),
  });
}

async function logIn(connection: CommandReplyConnection<Reply>, request: FtpRequest): Promise<FtpSession> {
  const { connect, login, protectDataConnections } = request.plan.phases;
  const session = new FtpSession(connection, request);
  try {
    await session.runSteps([...connect, ...login]);
    if (connection.isSecure) await session.protectDataConnections(protectDataConnections);
    session.poolKey = request.credentials.getSessionPoolKey();
    return session;
  } catch (error) {
    session.destroy();
    throw error;
  }
}

/** True if the error of a login means that the server has too many connections. */
function hasTooManyConnections(
  error: unknown,
  connection: CommandReplyConnection<Reply> | undefined,
): boolean {
  if (error instanceof FtpReplyError)
    return error.isTooManyConnections || (isClosingReply(error.reply) && error.code === "unavailable");
  if (!connection) return isRefusedOrReset(error);
  return error instanceof AccessError && error.code === "unavailable" && connection.replyCount === 0;
}

/**
 * Releases or closes the FTP session after an error. Returns normally if the request can be repeated on another
 * session, and throws the error if not.
 */
export async function releaseThenRethrowUnlessRetryable(session: FtpSession, error: unknown): Promise<void> {
  if (error instanceof CwdNeedsNewSessionError || (await mayRetryOnNewSession(session, error)))
    return session.close();
  session.request.pool.release(session);
  // The server may close an idle connection at the moment when the client reuses it.
  if (!session.isReused || session.hasServerReplied(error)) throw error;
  session.request.context.signal.throwIfAborted();
}

/**
 * True if a new FTP session may repeat a failed operation. A retry helps if the policy refused the port of a data
 * connection, or if the server has too many connections and the client can close another one.
 */
async function mayRetryOnNewSession(
  { hasStartedTransfer, request }: FtpSession,
  error: unknown,
): Promise<boolean> {
  if (hasStartedTransfer || !(error instanceof AccessError)) return false;
  if (error.code === "refused-port") return ++request.refusedPortCount <= MAX_REFUSED_PORTS;
  if (!(error instanceof FtpReplyError) || !error.isTooManyConnections) return false;
  return request.context.reportServerFull(request.endpoint);
}
