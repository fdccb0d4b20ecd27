import { type FileHandle, stat } from "node:fs/promises";
import { AccessError, type AccessErrorCode } from "../errors/access-error.ts";
import { ChunkList } from "../io/chunk-list.ts";
import type { ByteSource } from "../scheme/context.ts";
import { writeFileAtomic } from "./write-file-atomic.ts";

/** The chunks are written together when their total length reaches this number of bytes. */
const WRITE_BATCH_BYTES = 4_194_304;

/**
 * Writes the bytes of `readChunks` to a file, as {@link writeFileAtomic} does. Reads the next batch of chunks
 * while a batch is being written.
 */
export function saveBytes(path: string, readChunks: ByteSource["readChunks"]): Promise<void> {
  return writeFileAtomic(path, async (file) => {
    let writing: Promise<void> | undefined;
    try {
      for (let state = "more"; state === "more";) {
        const batch = new ChunkList();
        state = await readChunks((chunk) => {
          batch.push(chunk as Uint8Array<ArrayBuffer>);
          return batch.byteLength < WRITE_BATCH_BYTES;
        });
        const { byteLength } = batch;
        await writing;
        writing = writeChunkBatch(file, batch.takeAll(), byteLength);
        // A failure of the write is thrown at the next `await`.
        writing.catch(() => undefined);
      }
    } finally {
      await writing;
    }
  });
}

async function writeChunkBatch(
  file: FileHandle,
  chunks: readonly Uint8Array[],
  length: number,
): Promise<void> {
  const { bytesWritten } = await file.writev(chunks);
  // A full disk may accept only a part of the batch. Writing the remaining bytes throws the system error, such as
  // ENOSPC.
  if (bytesWritten < length) await file.writeFile(Buffer.concat(chunks).subarray(bytesWritten));
}

const PATH_IS_DIRECTORY_ERROR = [
  "unsupported",
  "the path is a directory; specify the path of a file",
] as const;

/** The messages for errors of the local file system, by error code. <https://nodejs.org/api/errors.html> */
const FILE_ERRORS_BY_CODE: Readonly<Record<string, readonly [code: AccessErrorCode, reason: string]>> = {
  EISDIR: PATH_IS_DIRECTORY_ERROR,
  ENOENT: ["not-found", "the directory does not exist"],
  ENOTDIR: ["not-found", "a part of the path is not a directory"],
  ENAMETOOLONG: ["unsupported", "the file name is too long"],
  EACCES: ["permission-denied", "permission denied"],
  EPERM: ["permission-denied", "permission denied"],
  EROFS: ["permission-denied", "the file system is read-only"],
  ENOSPC: ["unavailable", "no space left on the device"],
  EDQUOT: ["unavailable", "the disk quota is exceeded"],
  EFBIG: ["unavailable", "the file is too large for the file system"],
};

/**
 * The system calls that the `syscall` of a Node.js error names when the error may concern a file. `write` is also a
 * system call on sockets, but a socket never fails with a code of `FILE_ERRORS_BY_CODE`.
 */
const FILE_SYSTEM_CALLS: ReadonlySet<unknown> = new Set(["stat", "open", "write", "close", "rename"]);

/** Converts an error of the local file system to an `AccessError`. Returns an error of another kind unchanged. */
export function toSaveError(path: string, error: unknown): unknown {
  if (error instanceof AccessError || !(error instanceof Error)) return error;
  const { code = "", syscall } = error as NodeJS.ErrnoException;
  const failure =
    FILE_SYSTEM_CALLS.has(syscall) && Object.hasOwn(FILE_ERRORS_BY_CODE, code)
      ? FILE_ERRORS_BY_CODE[code]
      : undefined;
  return failure ? createSaveError(path, ...failure, code, error) : error;
}

/** Throws an error for a path that is a directory or cannot be accessed. */
export async function rejectDirectoryAsSavePath(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (found?.isDirectory()) throw createSaveError(path, ...PATH_IS_DIRECTORY_ERROR);
}

function createSaveError(
  path: string,
  code: AccessErrorCode,
  reason: string,
  errno = "",
  cause?: unknown,
): AccessError {
  const suffix = errno === "" ? "" : ` (${errno})`;
  return new AccessError(code, `cannot save to ${path}: ${reason}${suffix}`, { cause });
}
