import { type AccessErrorCode, AccessError } from "@anyscheme/core";

/**
 * Maps the error codes of errno(3) to the codes and messages of `AccessError`. The error messages of Node.js contain
 * the path of the root, and are therefore not used.
 */
const ERRORS_BY_ERRNO: Readonly<Record<string, { readonly code: AccessErrorCode; readonly reason: string }>> =
  {
    ENOENT: { code: "not-found", reason: "no such file or directory" },
    ENOTDIR: { code: "not-found", reason: "a part of the path is not a directory" },
    ENAMETOOLONG: { code: "not-found", reason: "the file name is too long" },
    EACCES: { code: "permission-denied", reason: "the operating system denies access" },
    EPERM: { code: "permission-denied", reason: "the operating system denies access" },
    EROFS: { code: "permission-denied", reason: "the file system is read-only" },
    ELOOP: { code: "permission-denied", reason: "the path is a symbolic link" },
    EMLINK: { code: "permission-denied", reason: "the path is a symbolic link" },
    EEXIST: { code: "rejected", reason: "the name already exists" },
    ENOTEMPTY: { code: "rejected", reason: "the directory is not empty" },
    EISDIR: { code: "no-content", reason: "the path is a directory" },
    ENXIO: { code: "no-content", reason: "the path is neither a regular file nor a directory" },
    ENODEV: { code: "no-content", reason: "the path is neither a regular file nor a directory" },
    EAGAIN: { code: "no-content", reason: "reading the file would block" },
    EXDEV: { code: "unsupported", reason: "the new name is on another file system" },
    EINVAL: {
      code: "unsupported",
      reason: "the operating system does not support this operation on the file",
    },
    EBUSY: { code: "unavailable", reason: "the file is in use" },
    ETXTBSY: { code: "unavailable", reason: "the file is in use" },
    EMFILE: { code: "unavailable", reason: "too many files are open" },
    ENFILE: { code: "unavailable", reason: "too many files are open" },
    ENOSPC: { code: "unavailable", reason: "the file system is full" },
    EDQUOT: { code: "unavailable", reason: "the disk quota is exceeded" },
    EFBIG: { code: "unavailable", reason: "the file would be too large for the file system" },
    EIO: { code: "unavailable", reason: "an input/output error" },
  };

/** Runs file system operations, and converts errors with a code in `ERRORS_BY_ERRNO` to `AccessError`. */
export async function mapFileSystemErrors<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const known = Object.hasOwn(ERRORS_BY_ERRNO, code) ? ERRORS_BY_ERRNO[code] : undefined;
    throw known ? new AccessError(known.code, known.reason, { cause: error }) : error;
  }
}
