import { type BigIntStats, constants, promises as fs, type Stats } from "node:fs";
import { sep, win32 } from "node:path";
import { AccessError } from "@anyscheme/core";
import type { FilePath } from "./path.ts";

/** Opens without following a symbolic link and without waiting for the other side of a pipe. */
export const NO_FOLLOW_NONBLOCK: number = constants.O_NOFOLLOW | constants.O_NONBLOCK;

const SEPARATOR: Buffer = Buffer.from(sep);

/** The real path of the root. Throws `permission-denied` without one. */
export async function realRoot(root: string | undefined): Promise<Buffer> {
  if (root !== undefined) return fs.realpath(root, { encoding: "buffer" });
  const advice = "give the folder to read from: file({ root })";
  throw new AccessError("permission-denied", "file URLs are switched off", { advice });
}

/** The path of a place. Throws `permission-denied` for one on a drive that is not under the root. */
export function absolutePath(root: Buffer, { drive, names }: FilePath): Buffer {
  if (drive === undefined) return joinPath(root, names);
  const texts = names.map((name) => Buffer.from(name).toString());
  const path = win32.join(`${drive}\\`, ...texts);
  const way = win32.relative(root.toString(), path);
  if (/^\.\.(?:\\|$)/.test(way) || win32.isAbsolute(way)) throw outsideRootError();
  return Buffer.from(path);
}

function joinPath(folder: Buffer, names: readonly Uint8Array[]): Buffer {
  if (names.length === 0) return folder;
  // A root that ends in a separator is "/" or a drive.
  const parts = folder.subarray(-SEPARATOR.length).equals(SEPARATOR)
    ? [folder.subarray(0, -SEPARATOR.length)]
    : [folder];
  for (const name of names) parts.push(SEPARATOR, Buffer.from(name));
  return Buffer.concat(parts);
}

/** A place that was opened and is known to lie under the root. */
export interface OpenFile {
  readonly handle: fs.FileHandle;
  readonly stats: Stats;
  /** Where it really is. */
  readonly realPath: Buffer;
}

/**
 * Opens the place first and asks questions of the descriptor afterwards, so that nothing can be exchanged in between. Throws
 * `permission-denied` for what symbolic links lead to outside of the root.
 */
export async function openBelowRoot(root: string | undefined, place: FilePath): Promise<OpenFile> {
  const base = realRoot(root);
  // Where a place really is gets judged once it is open, so that it can be opened meanwhile; but for one on a drive, whose path has
  // to lead through the root's.
  if (root === undefined || place.drive !== undefined)
    return openChecked(await base, absolutePath(await base, place));
  // Where nothing can be opened, that is what is told.
  base.catch(() => undefined);
  return openChecked(base, joinPath(Buffer.from(root), place.names));
}

/** The size of an open file; `undefined` for one of proc(5), which has bytes and says that it has none. */
export async function readSize({
  handle,
  stats,
}: Pick<OpenFile, "handle" | "stats">): Promise<number | undefined> {
  if (stats.size > 0) return stats.size;
  const { bytesRead } = await handle.read(new Uint8Array(1), 0, 1, 0);
  return bytesRead === 0 ? 0 : undefined;
}

async function openChecked(base: Buffer | Promise<Buffer>, path: Buffer): Promise<OpenFile> {
  const handle = await fs.open(path, constants.O_RDONLY | NO_FOLLOW_NONBLOCK);
  try {
    const [stats, real, root] = await Promise.all([handle.stat(), findRealPath(handle, path), base]);
    const prefix = joinPath(root, [new Uint8Array()]);
    if (!real.equals(root) && !real.subarray(0, prefix.length).equals(prefix)) throw outsideRootError();
    return { handle, stats, realPath: real };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A name in an open folder, which stays the same folder whatever its path leads to later. */
export interface DirectoryEntry {
  /** The path of the entry. */
  readonly path: Buffer;
  /** Whether the place names a directory, by a slash at its end. */
  readonly mustBeDirectory: boolean;
}

/**
 * Changes something at a place, while the folder that it is in is held open. Throws `permission-denied` when a symbolic link is on
 * the way.
 */
export async function inParentDirectory<T>(
  root: Buffer,
  place: FilePath,
  change: (entry: DirectoryEntry) => Promise<T>,
): Promise<T> {
  const directory = place.names.at(-1)?.length === 0;
  const names = directory ? place.names.slice(0, -1) : place.names;
  const name = names.at(-1);
  if (!name) throw new AccessError("permission-denied", "the root itself stays as it is");
  const parent = { drive: place.drive, names: names.slice(0, -1) };
  const path = absolutePath(root, parent);
  const { handle, stats, realPath: real } = await openChecked(root, path);
  try {
    if (!real.equals(path))
      throw new AccessError(
        "permission-denied",
        "a symbolic link is on the way, and nothing is changed behind one",
      );
    if (!stats.isDirectory())
      throw new AccessError("not-found", "what the path leads through is no directory");
    return await change({ path: joinPath(procFdPath(handle) ?? real, [name]), mustBeDirectory: directory });
  } finally {
    await handle.close();
  }
}

/** A path that means the open file itself, where the system has one. proc_pid_fd(5). */
export function procFdPath(handle: fs.FileHandle): Buffer | undefined {
  return process.platform === "linux" ? Buffer.from(`/proc/self/fd/${handle.fd}`) : undefined;
}

/** Where an open file is. Without the system's own word, it has to be what is found at its path. */
async function findRealPath(handle: fs.FileHandle, path: Buffer): Promise<Buffer> {
  const link = procFdPath(handle);
  const told = link && (await fs.readlink(link, { encoding: "buffer" }).catch(() => undefined));
  // Deno gives an array of bytes that is no Buffer.
  if (told) return Buffer.from(told);
  const real = Buffer.from(await fs.realpath(path, { encoding: "buffer" }));
  const [opened, found] = await Promise.all([handle.stat({ bigint: true }), fs.stat(real, { bigint: true })]);
  if (!isSameFile(opened, found)) throw outsideRootError();
  return real;
}

function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

function outsideRootError(): AccessError {
  return new AccessError("permission-denied", "the file does not lie under the root");
}
