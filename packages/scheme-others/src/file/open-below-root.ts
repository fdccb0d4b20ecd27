import { type BigIntStats, constants, promises as fs, type Stats } from "node:fs";
import { sep, win32 } from "node:path";
import { AccessError } from "@anyscheme/core";
import type { FilePath } from "./file-path.ts";
import { createOutsideRootError, resolveSymbolicLinksBelowRoot } from "./resolve-symbolic-links.ts";

/** The flags of open(2) that reject a final symbolic link and do not block on a pipe. */
export const OPEN_FLAGS_NOFOLLOW_NONBLOCK: number = constants.O_NOFOLLOW | constants.O_NONBLOCK;

const PATH_SEPARATOR: Buffer = Buffer.from(sep);

/**
 * Returns the real path of the configured root directory of file URLs. Throws `permission-denied` if no root is
 * configured.
 */
export async function resolveRootDirectory(root: string | undefined): Promise<Buffer> {
  if (root !== undefined) return fs.realpath(root, { encoding: "buffer" });
  const advice = "pass the directory to read from: file({ root })";
  throw new AccessError("permission-denied", "file URLs are disabled", { advice });
}

/**
 * Returns the segments of the path in a file URL, relative to the root directory. Throws `permission-denied` if a path
 * with a drive is not below the root.
 */
export function getSegmentsBelowRoot(root: Buffer, { drive, segments }: FilePath): readonly Uint8Array[] {
  if (drive === undefined) return segments;
  const texts = segments.map((name) => Buffer.from(name).toString());
  const relative = win32.relative(root.toString(), win32.join(`${drive}\\`, ...texts));
  if (/^\.\.(?:\\|$)/.test(relative) || win32.isAbsolute(relative)) throw createOutsideRootError();
  const names = relative === "" ? [] : relative.split("\\").map((name) => Buffer.from(name));
  return segments.at(-1)?.length === 0 ? [...names, new Uint8Array()] : names;
}

function joinPath(directory: Buffer, segments: readonly Uint8Array[]): Buffer {
  if (segments.length === 0) return directory;
  // An absolute path ends in a separator only if the path is "/" or a drive, such as "C:\".
  const parts = directory.subarray(-PATH_SEPARATOR.length).equals(PATH_SEPARATOR)
    ? [directory.subarray(0, -PATH_SEPARATOR.length)]
    : [directory];
  for (const name of segments) parts.push(PATH_SEPARATOR, Buffer.from(name));
  return Buffer.concat(parts);
}

/** Reads the attributes of a directory entry. Returns `undefined` if no directory entry has this path. */
export function lstatIfExists(path: Buffer): Promise<Stats | undefined> {
  return fs.lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

/** An open file whose real path is below the root directory. */
export interface OpenFile {
  readonly handle: fs.FileHandle;
  readonly stats: Stats;
  readonly realPath: Buffer;
}

/**
 * Resolves the symbolic links of a path below the root, opens the file, and checks that the open descriptor is below
 * the root. A later replacement of the file does not change the open descriptor. Throws `permission-denied` for a path
 * that is outside the root because of a symbolic link.
 */
export async function openBelowRoot(root: string | undefined, path: FilePath): Promise<OpenFile> {
  const realRoot = await resolveRootDirectory(root);
  const segments = getSegmentsBelowRoot(realRoot, path);
  return openAndVerifyPath(realRoot, await resolveSymbolicLinksBelowRoot(realRoot, segments));
}

/**
 * Returns the size of an open file in bytes. Returns `undefined` for a file in /proc, whose size is 0 although the file
 * has contents.
 */
export async function readOpenFileSize({
  handle,
  stats,
}: Pick<OpenFile, "handle" | "stats">): Promise<number | undefined> {
  if (stats.size > 0) return stats.size;
  const { bytesRead } = await handle.read(new Uint8Array(1), 0, 1, 0);
  return bytesRead === 0 ? 0 : undefined;
}

/**
 * Opens a path in which all links have been resolved. The check of the open descriptor detects a link that has replaced
 * a directory.
 */
async function openAndVerifyPath(root: Buffer, path: Buffer): Promise<OpenFile> {
  const handle = await fs.open(path, constants.O_RDONLY | OPEN_FLAGS_NOFOLLOW_NONBLOCK);
  try {
    const [stats, realPath] = await Promise.all([handle.stat(), findRealPath(handle, path)]);
    const prefix = joinPath(root, [new Uint8Array()]);
    const isBelowRoot = realPath.equals(root) || realPath.subarray(0, prefix.length).equals(prefix);
    if (!isBelowRoot) throw createOutsideRootError();
    return { handle, stats, realPath };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * A directory entry whose parent directory is open. On Linux, the path of the directory entry remains valid when its
 * parent directory is renamed.
 */
export interface PathInOpenDirectory {
  readonly path: Buffer;
  /** True when the file URL ends in a slash. */
  readonly mustBeDirectory: boolean;
}

/**
 * Modifies an entry of a directory while the directory is open. Throws `permission-denied` when the path of the
 * directory contains a symbolic link.
 */
export async function modifyEntryBelowRoot<T>(
  realRoot: Buffer,
  filePath: FilePath,
  modify: (entry: PathInOpenDirectory) => Promise<T>,
): Promise<T> {
  const mustBeDirectory = filePath.segments.at(-1)?.length === 0;
  const segments = mustBeDirectory ? filePath.segments.slice(0, -1) : filePath.segments;
  const name = segments.at(-1);
  if (!name) throw new AccessError("permission-denied", "the root directory cannot be modified");
  const namesBelowRoot = getSegmentsBelowRoot(realRoot, { drive: filePath.drive, segments });
  const resolvedPath = await resolveSymbolicLinksBelowRoot(realRoot, namesBelowRoot);
  if (!resolvedPath.equals(joinPath(realRoot, namesBelowRoot))) throw createLinkInPathError();
  const path = joinPath(realRoot, namesBelowRoot.slice(0, -1));
  const { handle, stats, realPath } = await openAndVerifyPath(realRoot, path);
  try {
    if (!realPath.equals(path)) throw createLinkInPathError();
    if (!stats.isDirectory()) throw new AccessError("not-found", "a part of the path is not a directory");
    const entryPath = joinPath(getFileDescriptorPath(handle) ?? realPath, [name]);
    return await modify({ path: entryPath, mustBeDirectory });
  } finally {
    await handle.close();
  }
}

/** Returns a path to the open file itself, or `undefined` on a system without proc_pid_fd(5). */
export function getFileDescriptorPath(handle: fs.FileHandle): Buffer | undefined {
  return process.platform === "linux" ? Buffer.from(`/proc/self/fd/${handle.fd}`) : undefined;
}

/**
 * Returns the real path of an open file. Resolves `path` on a system without proc(5), and throws if the inode of `path`
 * differs from that of the open file.
 */
async function findRealPath(handle: fs.FileHandle, path: Buffer): Promise<Buffer> {
  const link = getFileDescriptorPath(handle);
  const target = link && (await fs.readlink(link, { encoding: "buffer" }).catch(() => undefined));
  // The function `readlink` of Deno returns a Uint8Array that is not a Buffer.
  if (target) return Buffer.from(target);
  const real = Buffer.from(await fs.realpath(path, { encoding: "buffer" }));
  const [opened, found] = await Promise.all([handle.stat({ bigint: true }), fs.stat(real, { bigint: true })]);
  if (!isSameFile(opened, found)) throw createOutsideRootError();
  return real;
}

function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

function createLinkInPathError(): AccessError {
  const reason = "the path contains a symbolic link, and the client does not modify files below a link";
  return new AccessError("permission-denied", reason);
}
