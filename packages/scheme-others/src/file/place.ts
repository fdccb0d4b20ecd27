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
export async function openPlace(root: Buffer, place: FilePlace, flags: number): Promise<Opened> {
  const path = pathOf(root, place);
  const handle = await fs.open(path, flags | CAREFULLY);
  try {
    const [stats, real] = await Promise.all([handle.stat(), realPath(handle, path)]);
    const prefix = below(root, [new Uint8Array()]);
    if (!real.equals(root) && !real.subarray(0, prefix.length).equals(prefix)) throw outside();
    return { handle, stats, real };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** An open folder, which stays the same whatever its path leads to later. */
export interface Folder {
  /** A path to one of its entries. */
  at(name: Uint8Array): Buffer;
  close(): Promise<void>;
}

/** Opens the folder that a place is in, for changing it. Throws `permission-denied` when a symbolic link is on the way. */
export async function openFolder(
  root: Buffer,
  place: FilePlace,
): Promise<{ folder: Folder; name: Uint8Array; directory: boolean }> {
  const directory = place.names.at(-1)?.length === 0;
  const names = directory ? place.names.slice(0, -1) : place.names;
  const name = names.at(-1);
  if (!name) throw new AccessError("permission-denied", "the root itself stays as it is");
  const parent = { drive: place.drive, names: names.slice(0, -1) };
  const { handle, stats, real } = await openPlace(root, parent, constants.O_RDONLY);
  const direct = real.equals(pathOf(root, parent));
  if (!direct || !stats.isDirectory()) {
    await handle.close();
    if (direct) throw new AccessError("not-found", "what the path leads through is no directory");
    throw new AccessError(
      "permission-denied",
      "a symbolic link is on the way, and nothing is changed behind one",
    );
  }
  const path = byDescriptor(handle) ?? real;
  const folder: Folder = { at: (entry) => below(path, [entry]), close: () => handle.close() };
  return { folder, name, directory };
}

/** A path that means the open file itself, where the system has one. proc_pid_fd(5). */
export function byDescriptor(handle: fs.FileHandle): Buffer | undefined {
  return process.platform === "linux" ? Buffer.from(`/proc/self/fd/${handle.fd}`) : undefined;
}

/** Where an open file is. Without the system's own word, it has to be what is found at its path. */
async function realPath(handle: fs.FileHandle, path: Buffer): Promise<Buffer> {
  const link = byDescriptor(handle);
  const told = link && (await fs.readlink(link, { encoding: "buffer" }).catch(() => undefined));
  // Deno gives an array of octets that is no Buffer.
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
