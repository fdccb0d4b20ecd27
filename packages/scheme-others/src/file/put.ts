import { constants, promises as fs } from "node:fs";
import { AccessError } from "@anyscheme/core";
import {
  type AccessContext,
  type ResultInit,
  type PutRequest,
  writeFileAtomic,
  type PutResult,
} from "@anyscheme/core/plugin";
import { writeAll } from "@anyscheme/core/io";
import { mapFsErrors } from "./errors.ts";
import { NO_FOLLOW_NONBLOCK, inParentDirectory, realRoot } from "./open.ts";
import { type FilePlan, createStepper } from "./plan.ts";

type Write = (file: fs.FileHandle) => Promise<void>;

/**
 * Writes a file, new or not. The folder is opened first and the file in it, and nothing is changed before the descriptor has
 * said that it is a regular file. Without `atomic`, a failure leaves what was written by then.
 */
export function putFile(
  plan: FilePlan,
  context: AccessContext<PutResult>,
  root: string | undefined,
  { upload, atomic, at }: PutRequest,
): Promise<ResultInit<PutResult>> {
  return mapFsErrors(async () => {
    const enterNext = createStepper(plan, context);
    enterNext();
    let bytes = 0;
    const write: Write = async (file) => {
      enterNext();
      for await (const piece of untilAborted(upload.chunks, context.signal)) {
        await writeAll(file, piece, typeof at === "number" && at > 0 ? at + bytes : null);
        bytes += piece.length;
      }
      if (upload.size !== undefined && upload.size !== bytes)
        throw new AccessError("incomplete", `the upload ended after ${bytes} of ${upload.size} bytes`);
    };
    await inParentDirectory(await realRoot(root), plan.path, ({ path }) => {
      enterNext();
      return atomic ? replaceAtomically(path, write) : writeInPlace(path, at, write);
    });
    return { bytesWritten: bytes };
  });
}

/** Writes beside the file, and renames. A link of that name would be replaced, and its target is none of ours. */
async function replaceAtomically(path: Buffer, write: Write): Promise<void> {
  const old = await fs.lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (old?.isSymbolicLink()) throw new AccessError("permission-denied", "it is a symbolic link");
  if (old && !old.isFile()) throw new AccessError("no-content", "there is something else of that name");
  await writeFileAtomic(path, async (file) => {
    if (old) await file.chmod(old.mode & 0o777);
    await write(file);
  });
}

async function writeInPlace(path: Buffer, at: PutRequest["at"] = 0, write: Write): Promise<void> {
  const { O_WRONLY, O_CREAT, O_APPEND } = constants;
  const how = at === 0 ? O_CREAT : at === "end" ? O_CREAT | O_APPEND : 0;
  const file = await fs.open(path, O_WRONLY | how | NO_FOLLOW_NONBLOCK, 0o666);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new AccessError("no-content", "there is something else of that name");
    if (at === 0) await file.truncate(0);
    else if (at !== "end" && at > stats.size)
      throw new AccessError("unsupported", `the file has only ${stats.size} bytes, and would get a hole`);
    await write(file);
  } finally {
    await file.close();
  }
}

/** The pieces, without waiting for one that does not come after an abort. */
async function* untilAborted(
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const iterator = pieces[Symbol.asyncIterator]();
  let over = false;
  try {
    for (;;) {
      const next = await unlessAborted(iterator.next(), signal);
      over = next.done === true;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    if (!over) void iterator.return?.().catch(() => undefined);
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
