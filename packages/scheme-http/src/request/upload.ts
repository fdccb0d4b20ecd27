import { once } from "node:events";
import { AccessError } from "@anyscheme/core";
import { type AccessContext, limitError, type Socket, type UploadStream } from "@anyscheme/core/plugin";
import type { HttpConnection } from "../connection/connection.ts";
import type { HttpExchange } from "../connection/exchange.ts";
import type { HttpPlan } from "../plan.ts";

/** The time to wait for `100 Continue`, in milliseconds. RFC 9110 §10.1.1 specifies no time. */
const CONTINUE_TIMEOUT_MS = 1_000;

/**
 * Sends the body of a PUT after `100 Continue` or a timeout. Stops when the final response arrives early (RFC 9112
 * §9.3). Returns the number of sent bytes, or `undefined` if no body was sent. Throws
 * `incomplete` when the body does not have the announced size.
 */
export async function sendUpload(
  exchange: HttpExchange,
  connection: HttpConnection,
  { phases }: HttpPlan,
  context: AccessContext<unknown>,
  { chunks, size }: UploadStream,
): Promise<number | undefined> {
  connection.isSendingBody = true;
  if (size !== 0) await connection.reader.waitReadable(CONTINUE_TIMEOUT_MS);
  if (await hasFinalResponseHead(exchange, connection)) return undefined;
  if (phases.transfer) context.beginStep(phases.transfer);
  let sent = 0;
  for await (const chunk of wrapUploadErrors(chunks)) {
    if (chunk.length === 0) continue;
    sent += chunk.length;
    if (size !== undefined && sent > size) throw createBodySizeError("is longer", size);
    await writeBodyParts(connection, context, size === undefined ? encodeChunk(chunk) : [chunk]);
    if (await hasFinalResponseHead(exchange, connection)) return sent;
  }
  if (size === undefined) await writeBodyParts(connection, context, ["0\r\n\r\n"]);
  else if (sent < size) throw createBodySizeError(`ended after ${sent} bytes`, size);
  connection.isSendingBody = false;
  context.trace({ action: "transfer", text: `${sent} bytes` });
  return sent;
}

/**
 * True when the head of the final response has arrived. The function parses received bytes, and does not wait for
 * more.
 */
async function hasFinalResponseHead(exchange: HttpExchange, { reader }: HttpConnection): Promise<boolean> {
  while (!reader.isIdle) if (await exchange.readArrivedBytes()) return true;
  return false;
}

async function* wrapUploadErrors(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (cause) {
    throw new AccessError("aborted", "the client failed to read the body of the upload", { cause });
  }
}

// chunk = chunk-size CRLF chunk-data CRLF            RFC 9112 §7.1
function encodeChunk(bytes: Uint8Array): (string | Uint8Array)[] {
  return [`${bytes.length.toString(16)}\r\n`, bytes, "\r\n"];
}

/** Writes to the socket, and waits until the socket accepts more bytes or a response arrives. */
async function writeBodyParts(
  { socket, reader }: HttpConnection,
  { limits }: AccessContext<unknown>,
  parts: readonly (string | Uint8Array)[],
): Promise<void> {
  socket.cork();
  for (const part of parts) socket.write(part);
  socket.uncork();
  if (!socket.writableNeedDrain || !reader.isIdle) return;
  await Promise.race([waitForDrain(socket, limits.idleTimeoutMs), reader.waitReadable(Infinity)]);
  if (socket.writableNeedDrain && reader.isIdle)
    throw limitError("idleTimeoutMs", limits, "the server stopped reading the body");
}

async function waitForDrain(socket: Socket, ms: number): Promise<void> {
  const options = ms === Infinity ? undefined : { signal: AbortSignal.timeout(ms) };
  await once(socket, "drain", options).catch(() => undefined);
}

function createBodySizeError(fault: string, size: number): AccessError {
  return new AccessError(
    "incomplete",
    `the body of the upload ${fault}, but the caller stated a size of ${size} bytes`,
  );
}
