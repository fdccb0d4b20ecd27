import { AccessError, type CoreLimits, type Step } from "@anyscheme/core";
import { delay, endWriting, writeChunk } from "@anyscheme/core/io";
import {
  type AccessContext,
  type PlanOptions,
  type PutOperationOptions,
  type PutResult,
  type OperationResultInit,
  type Socket,
} from "@anyscheme/core/plugin";
import type { FtpOptions } from "../scheme-options.ts";
import type { FtpPlan, FtpTransferOperationPhases } from "../plan/plan-types.ts";
import { runInFtpDirectory } from "../session/change-directory.ts";
import { createFtpRequest } from "../session/pool.ts";
import type { FtpRequest, FtpSession } from "../session/session.ts";
import { FAILURE_REPORT_DELAY_MS, startFtpTransfer } from "./data-connection.ts";
import { convertChunksToCrlf } from "./newlines.ts";

/** The time limit of each of the two attempts to delete an incomplete file, in milliseconds. */
const CLEANUP_TIMEOUT_MS = 5_000;

/** Stores a file. Resolves when the FTP server has confirmed that the file is stored. */
export async function executeFtpPut(
  plan: FtpPlan<FtpTransferOperationPhases>,
  context: AccessContext<PutResult>,
  requestOptions: PlanOptions & PutOperationOptions,
  schemeOptions: FtpOptions,
): Promise<OperationResultInit<PutResult>> {
  const request = createFtpRequest(plan, context, requestOptions, schemeOptions);
  const { operation } = plan.phases;
  const { chunks } = requestOptions.upload;
  return runInFtpDirectory(request, async (session) => {
    await session.setTransferType(operation.setTransferType);
    await session.runSteps(operation.commands);
    const body = operation.setTransferType.type === "A" ? convertChunksToCrlf(chunks) : chunks;
    const bytesWritten = await storeOrDeletePartialFile(session, operation, () =>
      storeBody(session, operation, body),
    );
    request.pool.release(session);
    return { bytesWritten };
  });
}

/** Sends the body of an FTP upload, and renames the file if the upload is atomic. Returns the number of sent bytes. */
async function storeBody(
  session: FtpSession,
  { transfer, renamePartialFile = [] }: FtpTransferOperationPhases,
  body: AsyncIterable<Uint8Array>,
): Promise<number> {
  const { reader } = await startFtpTransfer(session, transfer);
  try {
    const bytesWritten = await writeBodyUntilRefusal(session, reader.socket, body);
    session.request.context.beginStep(transfer.transferBody);
    await session.expectReply(transfer.expectCompletion);
    await session.runSteps(renamePartialFile);
    return bytesWritten;
  } catch (error) {
    reader.cancel();
    throw error;
  }
}

/**
 * Writes the body to the data connection. A negative reply ends the upload at once. The server sends a positive final
 * reply only at the end of the upload.
 */
async function writeBodyUntilRefusal(
  session: FtpSession,
  socket: Socket,
  body: AsyncIterable<Uint8Array>,
): Promise<number> {
  const { context } = session.request;
  const { transferFailurePromise, stopWatching } = session.watchTransfer();
  const written = writeBody(body, socket, context.limits).catch(async (error: unknown) => {
    // A server may close the data connection before it sends the reply that refuses the file.
    if (socket.destroyed)
      await Promise.race([transferFailurePromise, delay(FAILURE_REPORT_DELAY_MS, context.signal)]);
    throw error;
  });
  const bytesWritten = await Promise.race([written, transferFailurePromise]).finally(stopWatching);
  return bytesWritten ?? 0;
}

/** Writes the body and ends the data connection. Throws `unavailable` if the server closes the data connection. */
async function writeBody(
  body: AsyncIterable<Uint8Array>,
  socket: Socket,
  limits: CoreLimits,
): Promise<number> {
  let count = 0;
  for await (const chunk of body) {
    count += chunk.length;
    await writeChunk(socket, [chunk], limits);
    if (socket.destroyed) throw createClosedDataConnectionError(socket);
  }
  await endWriting(socket, limits);
  if (!socket.writableFinished) throw createClosedDataConnectionError(socket);
  return count;
}

function createClosedDataConnectionError({ errored }: Socket): AccessError {
  const cause = errored ?? undefined;
  return new AccessError("unavailable", "the server closed the data connection", { cause });
}

/**
 * Stores a file, and deletes the partial file of a failed atomic upload. Throws the error of the upload even if the
 * deletion fails too. After an abort the control connection is detached from the request and stays open for DELE. If
 * the control connection is lost, a new session sends DELE, unless the caller has aborted.
 */
async function storeOrDeletePartialFile<T>(
  session: FtpSession,
  { removePartialFile }: FtpTransferOperationPhases,
  storeFile: () => Promise<T>,
): Promise<T> {
  if (!removePartialFile) return storeFile();
  const { context } = session.request;
  const { signal } = context;
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    context.detachSocket(session.socket);
    timer = setTimeout(() => session.destroy(), CLEANUP_TIMEOUT_MS);
  };
  signal.addEventListener("abort", onAbort);
  try {
    return await storeFile();
  } catch (error) {
    if (session.mayHaveStartedTransfer("STOR")) {
      const isDeleted = await deletePartialFile(session, removePartialFile);
      if (!isDeleted && !signal.aborted)
        await deletePartialFileOnNewSession(session.request, removePartialFile);
    }
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

async function deletePartialFile(session: FtpSession, steps: readonly Step[]): Promise<boolean> {
  if (!session.connection.isOpen) return false;
  const timer = setTimeout(() => session.destroy(), CLEANUP_TIMEOUT_MS);
  try {
    await session.drainReplies();
    await session.runAllSteps(steps);
    return true;
  } catch {
    session.destroy();
    return false;
  } finally {
    clearTimeout(timer);
  }
}

async function deletePartialFileOnNewSession(request: FtpRequest, steps: readonly Step[]): Promise<void> {
  const timeout = new AbortController();
  const deleted = runInFtpDirectory(request, async (session) => {
    await session.runAllSteps(steps);
    request.pool.release(session);
  });
  await Promise.race([deleted, delay(CLEANUP_TIMEOUT_MS, timeout.signal)]).catch(() => undefined);
  timeout.abort();
}
