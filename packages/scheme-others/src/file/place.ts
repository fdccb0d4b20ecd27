import { type BigIntStats, constants, promises as fs, type Stats } from "node:fs";
import { sep, win32 } from "node:path";
import { AccessError } from "@anyscheme/core";
import type { FilePlace } from "./names.ts";

/** Opens without following a symbolic link and without waiting for the other side of a pipe. */
export const CAREFULLY: number = constants.O_NOFOLLOW | constants.O_NONBLOCK;

const SEPARATOR: Buffer = Buffer.from(sep);

/** The real path of the root. Throws `permission-denied` without one. */
export async function realRoot(root: string | undefined): Promise<Buffer> {
  if (root !== undefined) return fs.realpath(root, { encoding: "buffer" });
  const advice = "give the folder to read from: file({ root })";
  throw new AccessError("permission-denied", "file URLs are switched off", { advice });
}

/** The path of a place. Throws `permission-denied` for one on a drive that is not under the root. */
export function pathOf(root: Buffer, { drive, names }: FilePlace): Buffer {
  if (drive === undefined) return below(root, names);
  const texts = names.map((name) => Buffer.from(name).toString());
  const path = win32.join(`${drive}\\`, ...texts);
  const way = win32.relative(root.toString(), path);
  if (/^\.\.(?:\\|$)/.test(way) || win32.isAbsolute(way)) throw outside();
  return Buffer.from(path);
}

function below(folder: Buffer, names: readonly Uint8Array[]): Buffer {
  if (names.length === 0) return folder;
  // A root that ends in a separator is "/" or a drive.
  const parts = folder.subarray(-SEPARATOR.length).equals(SEPARATOR)
    ? [folder.subarray(0, -SEPARATOR.length)]
    : [folder];
  for (const name of names) parts.push(SEPARATOR, Buffer.from(name));
  return Buffer.concat(parts);
}

/** A place that was opened and is known to lie under the root. */
export interface Opened {
  readonly handle: fs.FileHandle;
  readonly stats: Stats;
  /** Where it really is. */
  readonly real: Buffer;
}

/**
 * Opens the place first and asks questions of the descriptor afterwards, so that nothing can be exchanged in between. Throws
 * `permission-denied` for what symbolic links lead to outside of the root.
 */
export async function openPlace(root: string | undefined, place: FilePlace): Promise<Opened> {
  const base = realRoot(root);
  // Where a place really is gets judged once it is open, so that it can be opened meanwhile; but for one on a drive, whose path has
  // to lead through the root's.
  if (root === undefined || place.drive !== undefined)
    return openBelow(await base, pathOf(await base, place));
  // Where nothing can be opened, that is what is told.
  base.catch(() => undefined);
  return openBelow(base, below(Buffer.from(root), place.names));
}

/** The size of an open file; `undefined` for one of proc(5), which has bytes and says that it has none. */
export async function sizeOf({
  handle,
  stats,
}: Pick<Opened, "handle" | "stats">): Promise<number | undefined> {
  if (stats.size > 0) return stats.size;
  const { bytesRead } = await handle.read(new Uint8Array(1), 0, 1, 0);
  return bytesRead === 0 ? 0 : undefined;
}

async function openBelow(base: Buffer | Promise<Buffer>, path: Buffer): Promise<Opened> {
  const handle = await fs.open(path, constants.O_RDONLY | CAREFULLY);
  try {
    const [stats, real, root] = await Promise.all([handle.stat(), realPath(handle, path), base]);
    const prefix = below(root, [new Uint8Array()]);
    if (!real.equals(root) && !real.subarray(0, prefix.length).equals(prefix)) throw outside();
    return { handle, stats, real };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A name in an open folder, which stays the same folder whatever its path leads to later. */
export interface Entry {
  /** The path of the entry. */
  readonly path: Buffer;
  /** Whether the place names a directory, by a slash at its end. */
  readonly directory: boolean;
}

/**
 * Changes something at a place, while the folder that it is in is held open. Throws `permission-denied` when a symbolic link is on
 * the way.
 */
export async function inFolder<T>(
  root: Buffer,
  place: FilePlace,
  change: (entry: Entry) => Promise<T>,
): Promise<T> {
  const directory = place.names.at(-1)?.length === 0;
  const names = directory ? place.names.slice(0, -1) : place.names;
  const name = names.at(-1);
  if (!name) throw new AccessError("permission-denied", "the root itself stays as it is");
  const parent = { drive: place.drive, names: names.slice(0, -1) };
  const path = pathOf(root, parent);
  const { handle, stats, real } = await openBelow(root, path);
  try {
    if (!real.equals(path))
      throw new AccessError(
        "permission-denied",
        "a symbolic link is on the way, and nothing is changed behind one",
      );
    if (!stats.isDirectory())
      throw new AccessError("not-found", "what the path leads through is no directory");
    return await change({ path: below(byDescriptor(handle) ?? real, [name]), directory });
  } finally {
    await handle.close();
  }
}

/** A path that means the open file itself, where the system has one. proc_pid_fd(5). */
export function byDescriptor(handle: fs.FileHandle): Buffer | undefined {
  return process.platform === "linux" ? Buffer.from(`/proc/self/fd/${handle.fd}`) : undefined;
}

/** Where an open file is. Without the system's own word, it has to be what is found at its path. */
async function realPath(handle: fs.FileHandle, path: Buffer): Promise<Buffer> {
  const link = byDescriptor(handle);
  const told = link && (await fs.readlink(link, { encoding: "buffer" }).catch(() => undefined));
  // Deno gives an array of bytes that is no Buffer.
  if (told) return Buffer.from(told);
  const real = Buffer.from(await fs.realpath(path, { encoding: "buffer" }));
  const [opened, found] = await Promise.all([handle.stat({ bigint: true }), fs.stat(real, { bigint: true })]);
  if (!isSame(opened, found)) throw outside();
  return real;
}

function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

function outside(): AccessError {
  return new AccessError("permission-denied", "the file does not lie under the root");
}
