import type { Step } from "@anyscheme/core";
import { delay } from "@anyscheme/core/io";
import type { StorePhases } from "../plan/phases.ts";
import { acquireSession, releaseAfterError } from "../session/acquire.ts";
import { changeDirectory } from "../session/change-directory.ts";
import type { FtpRequest } from "../session/request.ts";
import type { FtpSession } from "../session/session.ts";

/** Time for each of the two attempts, in milliseconds. */
const CLEANUP_MS = 5_000;

/**
 * Stores a file, and deletes the incomplete file of a failed atomic put. Throws the error of the put even if the
 * cleanup fails too.
 *
 * 1. STOR fails, or the caller aborts the request. An abort closes the sockets of the request, so the control
 * connection is
 *    detached from it first.
 * 2. The data connection is closed. The session waits for the outstanding replies, and sends DELE.
 * 3. If the control connection is closed too, DELE is sent on another session, unless the caller has aborted.
 */
export async function withCleanup<T>(
  session: FtpSession,
  request: FtpRequest<StorePhases>,
  store: () => Promise<T>,
): Promise<T> {
  const { cleanup } = request.plan.phases.operation;
  if (!cleanup) return store();
  const { context } = request;
  const { signal } = context;
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    context.detach(session.socket);
    timer = setTimeout(() => session.destroy(), CLEANUP_MS);
  };
  signal.addEventListener("abort", onAbort);
  try {
    return await store();
  } catch (error) {
    if (session.mayHaveStarted("STOR")) {
      const isDeleted = await cleanUpOnSession(session, cleanup);
      if (!isDeleted && !signal.aborted) await cleanUpOnNewSession(request, cleanup);
    }
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

async function cleanUpOnSession(session: FtpSession, cleanup: readonly Step[]): Promise<boolean> {
  if (!session.connection.isOpen) return false;
  const timer = setTimeout(() => session.destroy(), CLEANUP_MS);
  try {
    await session.drainReplies();
    await session.runBranch(cleanup);
    return true;
  } catch {
    session.destroy();
    return false;
  } finally {
    clearTimeout(timer);
  }
}

async function cleanUpOnNewSession(request: FtpRequest, cleanup: readonly Step[]): Promise<void> {
  const timeout = new AbortController();
  const deleted = runInDirectory(request, cleanup);
  await Promise.race([deleted, delay(CLEANUP_MS, timeout.signal)]).catch(() => undefined);
  timeout.abort();
}

async function runInDirectory(request: FtpRequest, steps: readonly Step[]): Promise<void> {
  for (;;) {
    const session = await acquireSession(request);
    try {
      await changeDirectory(session, request);
      await session.runBranch(steps);
      return request.pool.release(session);
    } catch (error) {
      await releaseAfterError(session, request, error);
    }
  }
}
