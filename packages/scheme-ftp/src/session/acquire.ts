import { AccessError } from "@anyscheme/core";
import { CommandConnection, isRefusedOrReset, type Reply } from "@anyscheme/core/io";
import type { Endpoint } from "@anyscheme/core/plugin";
import { FTP_PROTOCOL } from "../control/protocol.ts";
import { FtpReplyError } from "../control/reply-errors.ts";
import type { FtpRequest } from "./request.ts";
import { FtpSession, type SessionUser } from "./session.ts";

/**
 * The maximum number of retries after the policy refused a port. Random ports are rarely refused, so a server that
 * offers several refused ports is scanning.
 */
const MAX_REFUSED_PORTS = 2;

/** The error of a reused session that cannot return to the login directory. */
export class NewSessionNeededError extends Error {}

/** Returns an idle session from the pool, or opens a new one. */
export async function acquireSession(request: FtpRequest): Promise<FtpSession> {
  const { plan, pool, context, credentials } = request;
  const { routes, operation, quit } = plan.phases;
  const keys = await credentials.poolKeys();
  const user: SessionUser = { context, credentials, quit: quit[0] };
  const isInDirectory = ({ workingDirectory }: FtpSession): boolean =>
    routes.some((route) => route.workingDirectory === workingDirectory);
  const isInLoginDirectory = ({ workingDirectory }: FtpSession): boolean => workingDirectory === "";
  const canReturn = ({ loginDirectory }: FtpSession): boolean => loginDirectory !== undefined;
  // An operation that must not be repeated needs a verified connection. The return to the login directory verifies
  // that the server still replies.
  const preferences = operation.isIdempotent ? [isInDirectory, isInLoginDirectory, canReturn] : [canReturn];
  let connection: CommandConnection<Reply> | undefined;
  return context.acquireConnection<FtpSession>(endpointOf(request), {
    takeIdle: () => pool.acquire(keys, preferences, user),
    async open() {
      connection = undefined;
      connection = await CommandConnection.connect(plan.phases.connect, context, FTP_PROTOCOL, {
        tls: { ca: request.settings.ca },
      });
      return logIn(connection, request, user);
    },
    isServerFull: (error) => isServerFull(error, connection),
    keepIdle: (session) => pool.release(session),
  });
}

async function logIn(
  connection: CommandConnection<Reply>,
  { plan, server, settings, credentials }: FtpRequest,
  user: SessionUser,
): Promise<FtpSession> {
  const { connect, login, protect } = plan.phases;
  const session = new FtpSession(connection, server, user);
  try {
    await session.run([...connect, ...login]);
    if (connection.isSecure) {
      session.tlsOptions = { ca: settings.ca };
      await session.runBranch(protect);
    }
    session.poolKey = credentials.poolKey();
    return session;
  } catch (error) {
    session.destroy();
    throw error;
  }
}

function endpointOf({ plan }: FtpRequest): Endpoint {
  return { host: plan.url.effectiveHost, port: plan.url.effectivePort };
}

/** True for an error of the login that means too many connections. */
function isServerFull(error: unknown, connection: CommandConnection<Reply> | undefined): boolean {
  if (error instanceof FtpReplyError) return error.isTooManyConnections || error.reply.code === "421";
  if (!connection) return isRefusedOrReset(error);
  return error instanceof AccessError && error.code === "unavailable" && connection.replyCount === 0;
}

/**
 * Releases the session after an error. Returns if the request can be repeated on another session; else throws the
 * error.
 */
export async function releaseAfterError(
  session: FtpSession,
  request: FtpRequest,
  error: unknown,
): Promise<void> {
  session.dataConnection?.cancel();
  const isReplaceable =
    error instanceof NewSessionNeededError ||
    mayTryAnotherPort(session, request, error) ||
    (await hasFreedConnection(session, request, error));
  if (isReplaceable) return session.close();
  request.pool.release(session);
  // The server may close an idle connection at the moment it is reused.
  if (!session.isReused || session.hasAnswered(error)) throw error;
  request.context.signal.throwIfAborted();
}

function mayTryAnotherPort({ startedCommand }: FtpSession, request: FtpRequest, error: unknown): boolean {
  if (!(error instanceof AccessError) || error.code !== "refused-port" || startedCommand !== undefined)
    return false;
  return ++request.refusedPorts <= MAX_REFUSED_PORTS;
}

/** True if the server has too many connections and the client can close another one. */
async function hasFreedConnection(
  { startedCommand }: FtpSession,
  request: FtpRequest,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof FtpReplyError) || !error.isTooManyConnections || startedCommand !== undefined)
    return false;
  return request.context.reportServerFull(endpointOf(request));
}
