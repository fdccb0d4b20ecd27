import { type AccessCode, AccessError } from "@anyscheme/core";

/** The errors of file systems, errno(3), and what they mean here. The words of Node would show where the root is. */
const ERRNO_MAP: Readonly<Record<string, readonly [code: AccessCode, what: string]>> = {
  ENOENT: ["not-found", "there is no such file"],
  ENOTDIR: ["not-found", "what the path leads through is no directory"],
  ENAMETOOLONG: ["not-found", "the name is too long for this system"],
  EACCES: ["permission-denied", "the system does not allow it"],
  EPERM: ["permission-denied", "the system does not allow it"],
  EROFS: ["permission-denied", "the file system is read-only"],
  ELOOP: ["permission-denied", "it is a symbolic link"],
  EMLINK: ["permission-denied", "it is a symbolic link"],
  EEXIST: ["permission-denied", "there is something of that name already"],
  ENOTEMPTY: ["permission-denied", "the directory is not empty"],
  EISDIR: ["no-content", "it is a directory"],
  ENXIO: ["no-content", "it is neither a regular file nor a directory"],
  ENODEV: ["no-content", "it is neither a regular file nor a directory"],
  EAGAIN: ["no-content", "it is no file that can be read at once"],
  EXDEV: ["unsupported", "the new name is on another file system"],
  EINVAL: ["unsupported", "the system cannot do that with this file"],
  EBUSY: ["unavailable", "the file is in use"],
  ETXTBSY: ["unavailable", "the file is in use"],
  EMFILE: ["unavailable", "too many files are open"],
  ENFILE: ["unavailable", "too many files are open"],
  ENOSPC: ["unavailable", "the file system is full"],
  EDQUOT: ["unavailable", "the file system is full"],
  EFBIG: ["unavailable", "the file would be too large for this system"],
  EIO: ["unavailable", "the disk does not work"],
};

/** Does work with files; what the system says of it becomes an `AccessError`. */
export async function mapFsErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const [meaning, what] = (Object.hasOwn(ERRNO_MAP, code) ? ERRNO_MAP[code] : undefined) ?? [];
    throw meaning && what ? new AccessError(meaning, what, { cause: error }) : error;
  }
}
