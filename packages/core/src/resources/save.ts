import { type FileHandle, stat } from "node:fs/promises";
import { AccessError, type AccessCode } from "../errors/access-error.ts";
import { writeFileAtomic } from "./write-file-atomic.ts";

/** Chunks are written together once they have this length. */
const BATCH_BYTES = 1_048_576;

/** Writes the chunks to a file as {@link writeFileAtomic} does. The next chunks arrive while a batch is written. */
export function saveChunks(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  return writeFileAtomic(path, async (file) => {
    let writing: Promise<void> | undefined;
    let batch: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const chunk of chunks) {
        batch.push(chunk);
        length += chunk.length;
        if (length < BATCH_BYTES) continue;
        await writing;
        writing = writeBatch(file, batch, length);
        // A failure is thrown at the next `await`.
        writing.catch(() => undefined);
        batch = [];
        length = 0;
      }
    } finally {
      await writing;
    }
    await writeBatch(file, batch, length);
  });
}

async function writeBatch(file: FileHandle, chunks: readonly Uint8Array[], length: number): Promise<void> {
  const { bytesWritten } = await file.writev(chunks);
  // A full disk may take a part. Writing the rest throws the reason.
  if (bytesWritten < length) await file.writeFile(Buffer.concat(chunks).subarray(bytesWritten));
}

const IS_DIRECTORY = ["unsupported", "it is a directory; give the name of a file"] as const;

/** The errors of the local file system. <https://nodejs.org/api/errors.html> */
const FAILURES: Readonly<Record<string, readonly [code: AccessCode, reason: string]>> = {
  EISDIR: IS_DIRECTORY,
  ENOENT: ["not-found", "there is no such directory"],
  ENOTDIR: ["not-found", "a part of the path is not a directory"],
  ENAMETOOLONG: ["unsupported", "the name is too long"],
  EACCES: ["permission-denied", "permission denied"],
  EPERM: ["permission-denied", "permission denied"],
  EROFS: ["permission-denied", "the file system is read-only"],
  ENOSPC: ["unavailable", "no space left on the device"],
  EDQUOT: ["unavailable", "the disk quota is exceeded"],
  EFBIG: ["unavailable", "the file is too large for the file system"],
};

/** System calls on files. `write` is also a call on sockets, but never fails there with a code of the table. */
const FILE_CALLS: ReadonlySet<unknown> = new Set(["stat", "open", "write", "close", "rename"]);

/** Turns an error of the local file system into an `AccessError`. Returns any other error as it is. */
export function toSaveError(path: string, error: unknown): unknown {
  if (error instanceof AccessError || !(error instanceof Error)) return error;
  const { code = "", syscall } = error as NodeJS.ErrnoException;
  const failure = FILE_CALLS.has(syscall) && Object.hasOwn(FAILURES, code) ? FAILURES[code] : undefined;
  return failure ? createSaveError(path, ...failure, code, error) : error;
}

/** Throws for a path that is a directory or cannot be read. */
export async function checkSavePath(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (found?.isDirectory()) throw createSaveError(path, ...IS_DIRECTORY);
}

function createSaveError(
  path: string,
  code: AccessCode,
  reason: string,
  errno = "",
  cause?: unknown,
): AccessError {
  const suffix = errno === "" ? "" : ` (${errno})`;
  return new AccessError(code, `cannot save to ${path}: ${reason}${suffix}`, { cause });
}
