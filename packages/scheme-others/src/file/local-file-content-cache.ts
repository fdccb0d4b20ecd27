// Stores local files in the client's cache, and reads them from the cache.
import type { promises as fs } from "node:fs";
import {
  type AccessContext,
  type PlanOptions,
  type FileVersionAttributes,
  createVersionCheckedFileCache,
  type VersionCheckedFileCache,
} from "@anyscheme/core/plugin";
import { percentEncode, xchar } from "@anyscheme/core/syntax";
import type { OpenFile } from "./open-below-root.ts";

/**
 * The minimum time since the last modification of a file that is stored, in milliseconds. Some file systems have a unit
 * of time of two seconds, so a further change of a younger file may have the same time.
 */
const MIN_AGE_MS = 2_000;

/**
 * Creates the cache of an open file below the root. Returns `undefined` if the client has no cache, and for a part of a
 * file.
 */
export function createLocalFileContentCache(
  { realPath }: OpenFile,
  context: Pick<AccessContext<unknown>, "cache" | "trace">,
  { range }: PlanOptions,
): VersionCheckedFileCache | undefined {
  if (range) return undefined;
  // The real path distinguishes the files of different roots in one cache.
  return createVersionCheckedFileCache(context, {
    key: `file://${percentEncode(realPath, xchar)}`,
    partition: "",
  });
}

/**
 * Reads the version of an open file. Returns `undefined` for an empty file, for a file that has just been modified, and
 * for a file in /proc, whose size is 0.
 */
export async function readFileVersion({
  handle,
  stats,
}: Pick<OpenFile, "handle" | "stats">): Promise<FileVersionAttributes | undefined> {
  const modified = stats.mtime;
  const isYoung = Date.now() - modified.getTime() < MIN_AGE_MS;
  const size = stats.size;
  return isYoung || size === 0 ? undefined : { size, modified, identifier: await readIdentifier(handle) };
}

/** Returns true if an open file still has the size and the times of a version. */
export async function isOpenFileUnchanged(
  handle: fs.FileHandle,
  version: FileVersionAttributes,
): Promise<boolean> {
  const current = await readIdentifier(handle).catch(() => undefined);
  return current === version.identifier;
}

/** Returns device, inode, size, and the times of the last modification and of the last change of the inode. */
async function readIdentifier(handle: fs.FileHandle): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await handle.stat({ bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
}
