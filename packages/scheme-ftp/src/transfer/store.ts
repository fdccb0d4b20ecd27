import { AccessError, type Limits, type Plan } from "@anyscheme/core";
import {
  type AccessContext,
  limitError,
  type ResultInit,
  type PutRequest,
  type Socket,
  type PlanOptions,
  type PutResult,
} from "@anyscheme/core/plugin";
import { delay } from "@anyscheme/core/io";
import type { Conversation } from "../session/session.ts";
import { GRACE_MS } from "./data-connection.ts";
import type { Errand } from "../plan/phases.ts";
import { lfToCrlf } from "./newlines.ts";
import type { FtpOptions } from "../options.ts";
import type { FtpUrl } from "../url/syntax.ts";
import { orRemoved } from "./cleanup.ts";
import { journeyOf, prepare, rest, travel } from "../session/run.ts";

/** Performs the plan of a put: complete when the server has confirmed it. */
export function performPut(
  plan: Plan<FtpUrl>,
  context: AccessContext<PutResult>,
  options: PlanOptions & PutRequest,
  settings: FtpOptions,
): Promise<ResultInit<PutResult>> {
  const journey = journeyOf(plan, context, options, settings);
  return travel(journey, async (talk) => {
    const { errand } = journey.itinerary;
    const { chunks: bytes } = options.upload;
    const pieces = errand.type?.code === "A" ? lfToCrlf(bytes) : bytes;
    await prepare(talk, errand);
    const [removal] = errand.otherwise ?? [];
    const count = await orRemoved(talk, journey, removal, () => store(talk, errand, pieces));
    rest(talk, journey);
    return { bytesWritten: count };
  });
}

async function store(
  talk: Conversation,
  { transfer = [], send = [], after = [] }: Errand,
  pieces: AsyncIterable<Uint8Array>,
): Promise<number> {
  const { context } = talk;
  await talk.perform(transfer);
  const { socket } = await talk.opened();
  // A refusal before the end ends the upload too. Until the end, no reply is due.
  const over = new Promise<number>((resolve) => talk.whenHopeless(() => resolve(0)));
  const poured = pour(pieces, socket, context.limits).catch(async (error: unknown) => {
    // A server that takes no more may close the data connection before it says why.
    if (socket.destroyed) await Promise.race([over, delay(GRACE_MS, context.signal)]);
    throw error;
  });
  const count = await Promise.race([poured, over]);
  talk.connection.control.onChange = undefined;
  // The first step only stands for the bytes.
  await talk.perform(send);
  await talk.perform(after);
  return count;
}

/** Writes no more than the connection takes, and ends it. */
async function pour(pieces: AsyncIterable<Uint8Array>, socket: Socket, limits: Limits): Promise<number> {
  let count = 0;
  for await (const piece of pieces) {
    count += piece.length;
    await written(socket, limits, (done) => socket.write(piece, done));
  }
  await written(socket, limits, (done) => socket.end(done));
  return count;
}

/** Settles when the bytes are on their way. Throws `timeout` when the server takes none of them, `unavailable` when it closes. */
function written(
  socket: Socket,
  limits: Limits,
  write: (done: (error?: Error | null) => void) => unknown,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown): void =>
      reject(new AccessError("unavailable", "the server closed the data connection", { cause }));
    if (socket.destroyed) return fail();
    const finish = (error?: Error | null): void => {
      clearTimeout(timer);
      socket.off("close", close);
      if (error) fail(error);
      else resolve();
    };
    const close = (): void => {
      clearTimeout(timer);
      fail();
    };
    const expire = (): void => {
      socket.off("close", close);
      socket.destroy();
      reject(limitError("idleTimeoutMs", limits, "the server takes no more bytes"));
    };
    const timer = limits.idleTimeoutMs === Infinity ? undefined : setTimeout(expire, limits.idleTimeoutMs);
    socket.once("close", close);
    write(finish);
  });
}
