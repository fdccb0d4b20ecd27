import { constants, promises as fs } from "node:fs";
import { AccessError } from "@anyscheme/core";
import {
  type AccessContext,
  type PutOperationOptions,
  type PutResult,
  type OperationResultInit,
  writeFileAtomic,
} from "@anyscheme/core/plugin";
import { raceAbort, writeAllBytesToFile } from "@anyscheme/core/io";
import { mapFileSystemErrors } from "./errors.ts";
import {
  modifyEntryBelowRoot,
  lstatIfExists,
  OPEN_FLAGS_NOFOLLOW_NONBLOCK,
  resolveRootDirectory,
} from "./open-below-root.ts";
import { createPlanStepStarter, type FilePlan } from "./plan.ts";

type WriteBodyToFile = (file: fs.FileHandle) => Promise<void>;

/**
 * Writes a new or existing file. Opens the directory and then the file, and writes only when the open descriptor is a
 * regular file. A failed write without `atomic` leaves the written bytes in the file.
 */
export function putLocalFile(
  plan: FilePlan,
  context: AccessContext<PutResult>,
  root: string | undefined,
  { upload, atomic, offset }: PutOperationOptions,
): Promise<OperationResultInit<PutResult>> {
  return mapFileSystemErrors(async () => {
    const beginNextStep = createPlanStepStarter(plan, context);
    beginNextStep();
    let bytesWritten = 0;
    const writeBody: WriteBodyToFile = async (file) => {
      beginNextStep();
      for await (const chunk of readUntilAborted(upload.chunks, context.signal)) {
        await writeAllBytesToFile(
          file,
          chunk,
          typeof offset === "number" && offset > 0 ? offset + bytesWritten : undefined,
        );
        bytesWritten += chunk.length;
      }
      if (upload.size !== undefined && upload.size !== bytesWritten)
        throw new AccessError("incomplete", `the upload ended after ${bytesWritten} of ${upload.size} bytes`);
    };
    await modifyEntryBelowRoot(await resolveRootDirectory(root), plan.path, ({ path }) => {
      beginNextStep();
      return atomic ? replaceAtomically(path, writeBody) : writeInPlace(path, offset, writeBody);
    });
    return { bytesWritten };
  });
}

/**
 * Replaces a file: writes a new file in the same directory and renames it. Rejects a symbolic link, which the rename
 * would replace.
 */
async function replaceAtomically(path: Buffer, writeBody: WriteBodyToFile): Promise<void> {
  const old = await lstatIfExists(path);
  if (old?.isSymbolicLink()) throw new AccessError("permission-denied", "the path is a symbolic link");
  if (old && !old.isFile()) throw new AccessError("no-content", "the path exists and is not a regular file");
  await writeFileAtomic(path, async (file) => {
    if (old) await file.chmod(old.mode & 0o777);
    await writeBody(file);
  });
}

async function writeInPlace(
  path: Buffer,
  at: PutOperationOptions["offset"] = 0,
  writeBody: WriteBodyToFile,
): Promise<void> {
  const { O_WRONLY, O_CREAT, O_APPEND } = constants;
  const mode = at === 0 ? O_CREAT : at === "end" ? O_CREAT | O_APPEND : 0;
  const file = await fs.open(path, O_WRONLY | mode | OPEN_FLAGS_NOFOLLOW_NONBLOCK, 0o666);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new AccessError("no-content", "the path exists and is not a regular file");
    if (at === 0) await file.truncate(0);
    else if (at !== "end" && at > stats.size)
      throw new AccessError(
        "unsupported",
        `the option "offset" exceeds the size of the file, ${stats.size} bytes`,
      );
    await writeBody(file);
  } finally {
    await file.close();
  }
}

/**
 * Yields the chunks of an upload to a local file. Throws when the signal aborts, even while the next chunk of the
 * upload is pending.
 */
async function* readUntilAborted(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const iterator = chunks[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      const next = await raceAbort(iterator.next(), signal);
      isDone = next.done === true;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    if (!isDone) void iterator.return?.().catch(() => undefined);
  }
}
