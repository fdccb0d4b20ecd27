import type { CwdStrategy } from "../scheme-options.ts";
import type { CwdSequence, FtpPlanPhases } from "../plan/plan-types.ts";
import { acquireFtpSession, releaseThenRethrowUnlessRetryable } from "./pool.ts";
import { FtpReplyError } from "./reply-errors.ts";
import { parsePwdReply } from "./reply.ts";
import {
  type ReceivedFtpRepliesByCommand,
  type FtpRequest,
  type FtpSession,
  CwdNeedsNewSessionError,
} from "./session.ts";

/**
 * Runs an operation on a session in the directory of the URL. Repeats the operation on another session after an error
 * that allows a retry. A successful operation releases its FTP session itself.
 */
export async function runInFtpDirectory<T>(
  request: FtpRequest,
  operation: (session: FtpSession, strategy: CwdStrategy) => Promise<T>,
): Promise<T> {
  for (;;) {
    const session = await acquireFtpSession(request);
    try {
      const { strategy } = await changeDirectory(session);
      return await operation(session, strategy);
    } catch (error) {
      await releaseThenRethrowUnlessRetryable(session, error);
    }
  }
}

/**
 * Changes to the directory of the URL, and returns the sequence of CWD commands that the server accepted. Throws
 * `CwdNeedsNewSessionError` if only a new session can reach the directory. RFC 1738 §3.2.2, §3.2.5.
 */
async function changeDirectory(session: FtpSession): Promise<CwdSequence> {
  const { plan, serverState, refusedCwdSequences } = session.request;
  const { phases } = plan;
  const { isIdempotent } = phases.operation;
  // The replies to CWD and PWD verify that the connection is open, even if the session is in the directory already.
  const mustVerify = session.isReused && !isIdempotent;
  const current = phases.cwdSequences.find(
    ({ finalWorkingDirectory }) => finalWorkingDirectory === session.workingDirectory,
  );
  if (current && !mustVerify) {
    if (!isIdempotent) await requestLoginDirectory(session, phases);
    return current;
  }
  let mustReturn = session.workingDirectory !== "" || mustVerify;
  for (const sequence of getRemainingCwdSequences(session.request)) {
    if (mustReturn) await returnToLoginDirectory(session, phases);
    await requestLoginDirectory(session, phases);
    mustReturn = true;
    try {
      await sendCwdCommands(session, sequence);
      if (phases.cwdSequences.length > 1) serverState.cwdStrategy = sequence.strategy;
      return sequence;
    } catch (error) {
      if (!(error instanceof FtpReplyError) || !error.reply.code.startsWith("5")) throw error;
      refusedCwdSequences.add(sequence);
      if (getRemainingCwdSequences(session.request).length === 0) throw error;
    }
  }
  throw new CwdNeedsNewSessionError("the server has refused the CWD commands of every strategy");
}

/**
 * Returns the sequences of CWD commands that the server has not refused. The first sequence is that of the strategy
 * that the server last accepted.
 */
function getRemainingCwdSequences({ plan, serverState, refusedCwdSequences }: FtpRequest): CwdSequence[] {
  const isLast = ({ strategy }: CwdSequence): number => Number(strategy === serverState.cwdStrategy);
  return plan.phases.cwdSequences
    .filter((sequence) => !refusedCwdSequences.has(sequence))
    .toSorted((a, b) => isLast(b) - isLast(a));
}

// After a refused CWD the working directory is unknown, because earlier CWD commands may have succeeded.
async function sendCwdCommands(
  session: FtpSession,
  { steps, finalWorkingDirectory }: CwdSequence,
): Promise<void> {
  if (steps.length > 0) session.workingDirectory = undefined;
  await session.runAllSteps(steps);
  session.workingDirectory = finalWorkingDirectory;
}

async function requestLoginDirectory(
  session: FtpSession,
  { printWorkingDirectory }: FtpPlanPhases,
): Promise<void> {
  if (printWorkingDirectory.length === 0 || session.loginDirectory !== undefined) return;
  if (session.workingDirectory !== "") return;
  const replies = await session.runSteps(printWorkingDirectory);
  session.loginDirectory = parsePwdReply(replies.get("PWD"));
}

/**
 * Returns to the login directory, and verifies it with PWD. Throws `CwdNeedsNewSessionError` if the session cannot
 * return.
 */
async function returnToLoginDirectory(session: FtpSession, phases: FtpPlanPhases): Promise<void> {
  const { loginDirectory } = session;
  if (loginDirectory === undefined || phases.returnToLoginDirectory.length === 0)
    throw new CwdNeedsNewSessionError("the login directory is unknown");
  session.workingDirectory = undefined;
  let replies: ReceivedFtpRepliesByCommand;
  try {
    replies = await session.runAllSteps(phases.returnToLoginDirectory);
  } catch (error) {
    if (error instanceof FtpReplyError)
      throw new CwdNeedsNewSessionError("the server refused to return to the login directory");
    throw error;
  }
  if (parsePwdReply(replies.get("PWD")) !== loginDirectory)
    throw new CwdNeedsNewSessionError("the session is not in the login directory");
  session.workingDirectory = "";
}
