import type { Socket } from "../network/guard-context.ts";
import { createLimitError, type CoreLimits } from "../policy/limits.ts";

/**
 * Writes the parts of a chunk, and waits until the operating system has accepted the bytes. After the wait, the caller
 * may change the bytes of the written chunk. Returns early when the socket closes or `stopSignal` aborts. Throws an
 * error with the code `timeout` when the wait exceeds `idleTimeoutMs`.
 */
export async function writeChunk(
  socket: Socket,
  parts: readonly (string | Uint8Array)[],
  limits: CoreLimits,
  stopSignal?: AbortSignal,
): Promise<void> {
  const write = (done: () => void): void => {
    socket.cork();
    for (const part of parts.slice(0, -1)) socket.write(part);
    socket.write(parts.at(-1) ?? "", done);
    socket.uncork();
  };
  await waitUntilWritten(socket, write, limits, stopSignal);
}

/**
 * Ends the client's side of a connection, and waits until the operating system has accepted all bytes. Returns early
 * when the socket closes. Throws the same error as {@link writeChunk}.
 */
export async function endWriting(socket: Socket, limits: CoreLimits): Promise<void> {
  await waitUntilWritten(socket, (done) => socket.end(done), limits);
}

async function waitUntilWritten(
  socket: Socket,
  write: (done: () => void) => void,
  limits: CoreLimits,
  stopSignal?: AbortSignal,
): Promise<void> {
  if (socket.destroyed || stopSignal?.aborted) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { idleTimeoutMs } = limits;
  const onTimeout = (): void =>
    reject(createLimitError("idleTimeoutMs", limits, "the server stopped reading the body"));
  const timer = idleTimeoutMs === Infinity ? undefined : setTimeout(onTimeout, idleTimeoutMs);
  const done = (): void => resolve();
  socket.once("close", done);
  stopSignal?.addEventListener("abort", done);
  try {
    write(done);
    await promise;
  } finally {
    clearTimeout(timer);
    socket.off("close", done);
    stopSignal?.removeEventListener("abort", done);
  }
}
