import { AccessError, type Limits } from "@anyscheme/core";
import { delay } from "@anyscheme/core/io";
import {
  type AccessContext,
  limitError,
  type PutRequest,
  type ResultInit,
  type Socket,
  type PlanOptions,
  type PutResult,
} from "@anyscheme/core/plugin";
import type { FtpOptions } from "../options.ts";
import type { FtpPlan, StorePhases } from "../plan/phases.ts";
import { acquireSession, releaseAfterError } from "../session/acquire.ts";
import { changeDirectory } from "../session/change-directory.ts";
import { createRequest } from "../session/request.ts";
import type { FtpSession } from "../session/session.ts";
import { withCleanup } from "./cleanup.ts";
import { GRACE_MS, startTransfer } from "./data-connection.ts";
import { lfToCrlf } from "./newlines.ts";

/** Stores a file. Resolves when the server has confirmed it. */
export async function performPut(
  plan: FtpPlan<StorePhases>,
  context: AccessContext<PutResult>,
  options: PlanOptions & PutRequest,
  settings: FtpOptions,
): Promise<ResultInit<PutResult>> {
  const request = createRequest(plan, context, options, settings);
  const { operation } = plan.phases;
  const { chunks } = options.upload;
  for (;;) {
    const session = await acquireSession(request);
    try {
      await changeDirectory(session, request);
      await session.setType(operation.setType);
      await session.run(operation.prepare);
      const body = operation.setType.type === "A" ? lfToCrlf(chunks) : chunks;
      const bytesWritten = await withCleanup(session, request, () => store(session, operation, body));
      request.pool.release(session);
      return { bytesWritten };
    } catch (error) {
      await releaseAfterError(session, request, error);
    }
  }
}

/** Sends the body, and renames the file if the put is atomic. Returns the number of bytes. */
async function store(
  session: FtpSession,
  { start, send, rename = [] }: StorePhases,
  body: AsyncIterable<Uint8Array>,
): Promise<number> {
  const { context } = session;
  const { socket } = await startTransfer(session, start);
  // A negative reply ends the upload at once. The server sends a positive reply only at the end.
  const { promise: failed, resolve } = Promise.withResolvers<number>();
  const stopWatch = session.watchTransfer(() => resolve(0));
  const written = writeBody(body, socket, context.limits).catch(async (error: unknown) => {
    // A server may close the data connection before it sends the reason.
    if (socket.destroyed) await Promise.race([failed, delay(GRACE_MS, context.signal)]);
    throw error;
  });
  const count = await Promise.race([written, failed]).finally(stopWatch);
  context.beginStep(send.body);
  await session.expect(send.completion);
  await session.run(rename);
  return count;
}

async function writeBody(body: AsyncIterable<Uint8Array>, socket: Socket, limits: Limits): Promise<number> {
  let count = 0;
  for await (const chunk of body) {
    count += chunk.length;
    await writeChunk(socket, limits, (done) => socket.write(chunk, done));
  }
  await writeChunk(socket, limits, (done) => socket.end(done));
  return count;
}

/**
 * Resolves when the operating system has accepted the bytes. Throws `timeout` if it accepts none, and
 * `unavailable` if the server closes the connection.
 */
async function writeChunk(
  socket: Socket,
  limits: Limits,
  write: (done: (error?: Error | null) => void) => unknown,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (cause?: unknown): void =>
    reject(new AccessError("unavailable", "the server closed the data connection", { cause }));
  if (socket.destroyed) fail();
  const onClose = (): void => fail();
  const onTimeout = (): void => {
    reject(limitError("idleTimeoutMs", limits, "the server receives no more data"));
    socket.destroy();
  };
  const { idleTimeoutMs } = limits;
  const timer = idleTimeoutMs === Infinity ? undefined : setTimeout(onTimeout, idleTimeoutMs);
  socket.once("close", onClose);
  if (!socket.destroyed) write((error) => (error ? fail(error) : resolve()));
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    socket.off("close", onClose);
  }
}
