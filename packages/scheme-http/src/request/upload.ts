import { once } from "node:events";
import { AccessError } from "@anyscheme/core";
import { limitError, type Socket, type UploadStream } from "@anyscheme/core/plugin";
import type { HttpConnection } from "../connection/connection.ts";
import type { HttpExchange } from "../connection/exchange.ts";
import { type Context, enter, type HttpPlan } from "../plan.ts";

/** How long a server is waited for that does not say whether it wants the content. RFC 9110 §10.1.1 leaves that to us. */
const CONTINUE_WAIT_MS = 1_000;

/** What a put sends. */
export interface PutBody {
  readonly upload: UploadStream;
}

/**
 * Sends the content of a request once the server wants it, or keeps silent. Stops when an answer comes before the content has
 * ended. Returns the bytes that were sent. Throws `incomplete` where they are not as many as was said.
 */
export async function sendBody(
  exchange: HttpExchange,
  connection: HttpConnection,
  plan: HttpPlan,
  context: Context,
  { upload }: PutBody,
  begin: () => void,
): Promise<number> {
  const { chunks: bytes, size } = upload;
  connection.isSendingBody = true;
  if (size !== 0) await connection.reader.waitReadable(CONTINUE_WAIT_MS);
  if (await isAnswered(exchange, connection)) return 0;
  enter(plan, context, "transfer");
  begin();
  let sent = 0;
  for await (const piece of ofCaller(bytes)) {
    if (piece.length === 0) continue;
    sent += piece.length;
    if (size !== undefined && sent > size) throw wrongSize("is longer", size);
    await write(connection, context, size === undefined ? chunk(piece) : [piece]);
    // RFC 9112 §9.3 lets a server answer early; the connection is of no more use then.
    if (await isAnswered(exchange, connection)) return sent;
  }
  if (size === undefined) await write(connection, context, ["0\r\n\r\n"]);
  else if (sent < size) throw wrongSize(`ended after ${sent} bytes`, size);
  connection.isSendingBody = false;
  context.trace({ action: "transfer", text: `${sent} bytes` });
  return sent;
}

/** Whether the final response has come. Reads only what has arrived. */
async function isAnswered(exchange: HttpExchange, { reader: inflow }: HttpConnection): Promise<boolean> {
  while (!inflow.isIdle) {
    const said = await exchange.readAvailable();
    if (said === "final") return true;
  }
  return false;
}

async function* ofCaller(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (cause) {
    throw new AccessError("aborted", "the content to be sent has failed", { cause });
  }
}

// chunk = chunk-size CRLF chunk-data CRLF            RFC 9112 §7.1
function chunk(bytes: Uint8Array): (string | Uint8Array)[] {
  return [`${bytes.length.toString(16)}\r\n`, bytes, "\r\n"];
}

/** Writes, and waits while the server is slower than we are. */
async function write(
  { socket, reader: inflow }: HttpConnection,
  { limits }: Context,
  parts: readonly (string | Uint8Array)[],
): Promise<void> {
  socket.cork();
  for (const part of parts) socket.write(part);
  socket.uncork();
  if (!socket.writableNeedDrain || !inflow.isIdle) return;
  await Promise.race([drained(socket, limits.idleTimeoutMs), inflow.waitReadable(Infinity)]);
  if (socket.writableNeedDrain && inflow.isIdle)
    throw limitError("idleTimeoutMs", limits, "the server does not take the content");
}

async function drained(socket: Socket, ms: number): Promise<void> {
  const expiry = ms === Infinity ? undefined : AbortSignal.timeout(ms);
  await once(socket, "drain", expiry && { signal: expiry }).catch(() => undefined);
}

function wrongSize(what: string, size: number): AccessError {
  return new AccessError(
    "incomplete",
    `the content to be sent ${what}, and its size was given as ${size} bytes`,
  );
}
