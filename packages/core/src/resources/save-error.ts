import { stat } from "node:fs/promises";
import { AccessError, type AccessCode } from "../errors/access-error.ts";

const IS_DIRECTORY = ["unsupported", "it is a directory; give the name of a file"] as const;

/** What the failures of the local file system mean when a body is saved. <https://nodejs.org/api/errors.html> */
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

/** System calls on files. A socket also writes, but not with these codes. */
const FILE_CALLS: ReadonlySet<unknown> = new Set(["stat", "open", "write", "close", "rename"]);

/** The error of a body that cannot be saved to `path`; a failure that is not the local file system's is returned as it is. */
export function saveFailure(path: string, error: unknown): unknown {
  if (error instanceof AccessError || !(error instanceof Error)) return error;
  const { code = "", syscall } = error as NodeJS.ErrnoException;
  const failure = FILE_CALLS.has(syscall) && Object.hasOwn(FAILURES, code) ? FAILURES[code] : undefined;
  return failure ? cannotSave(path, ...failure, code, error) : error;
}

/** Throws for a path that no file can be saved to, a directory above all, before anything of the body is read. */
export async function checkSavePath(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (found?.isDirectory()) throw cannotSave(path, ...IS_DIRECTORY);
}

function cannotSave(
  path: string,
  code: AccessCode,
  reason: string,
  errno = "",
  cause?: unknown,
): AccessError {
  const suffix = errno === "" ? "" : ` (${errno})`;
  return new AccessError(code, `cannot save to ${path}: ${reason}${suffix}`, { cause });
}
