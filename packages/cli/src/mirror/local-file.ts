import { constants, promises as fs, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ContentResource } from "@anyscheme/core";
import {
  rethrowUnlessFileMissing,
  rethrowErrorsAsWriteError,
  writeChunksFromOffset,
} from "../output/output-file.ts";
import { getPartialFileName } from "./download-folder.ts";

/** The size and the modification date of a file in the listing of its directory. */
export interface ListedFile {
  readonly size?: number | undefined;
  readonly modified?: Date | undefined;
}

export interface DownloadTarget {
  /** True when the local file has the size and the date of the remote file. */
  readonly isUpToDate: boolean;
  /** The byte offset at which an interrupted transfer resumes. 0 for a new transfer. */
  readonly resumeOffset: number;
  /** Writes the body from `resumeOffset` on, and renames the complete file. Resolves to the size of the file. */
  save(resource: ContentResource, resumeOffset: number): Promise<number>;
}

/**
 * Two dates count as equal if they differ by less than this number of milliseconds. Few dates in listings have
 * fractions of a second.
 */
const DATE_TOLERANCE_MS = 1_000;

/**
 * Checks the path of the local copy of a remote file. If `canResume` is true and the listing has the size and the date
 * of the file, an incomplete file keeps its temporary name and gets the date of the remote file, so that the next run
 * of the command can resume it. Throws `WriteError` for a symbolic link and for a path that is not a regular file.
 */
export async function inspectLocalCopy(
  path: string,
  listed: ListedFile,
  canResume: boolean,
): Promise<DownloadTarget> {
  const partialPath = join(dirname(path), getPartialFileName(basename(path)));
  const [existing, partial] = await Promise.all([statFile(path), statFile(partialPath)]);
  const keepsPartial = canResume && listed.size !== undefined && listed.modified !== undefined;
  const isPartialValid =
    keepsPartial && partial && partial.size < (listed.size ?? 0) && hasSameDate(partial, listed);
  return {
    isUpToDate: existing !== undefined && existing.size === listed.size && hasSameDate(existing, listed),
    resumeOffset: isPartialValid ? partial.size : 0,
    async save(resource, start) {
      const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
      const flags = O_CREAT | O_WRONLY | O_NOFOLLOW | (start === 0 ? O_TRUNC : 0);
      const file = await rethrowErrorsAsWriteError(path, () => fs.open(partialPath, flags, 0o666));
      const modified = listed.modified ?? resource.modified;
      let size: number | undefined;
      try {
        size = await writeChunksFromOffset(file, path, resource, start);
      } finally {
        const isComplete = size !== undefined;
        if (modified && (isComplete || keepsPartial)) await setModifiedTime(file, modified);
        await file.close();
        if (!isComplete && !keepsPartial) await fs.rm(partialPath, { force: true });
      }
      await rethrowErrorsAsWriteError(path, () => fs.rename(partialPath, path));
      return size;
    },
  };
}

async function statFile(path: string): Promise<Stats | undefined> {
  return rethrowErrorsAsWriteError(path, async () => {
    const stats = await fs.lstat(path).catch(rethrowUnlessFileMissing);
    if (stats?.isSymbolicLink()) throw new Error("the path is a symbolic link");
    if (stats && !stats.isFile()) throw new Error("not a regular file");
    return stats;
  });
}

function hasSameDate(stats: Stats, { modified }: ListedFile): boolean {
  return modified !== undefined && Math.abs(stats.mtimeMs - modified.getTime()) < DATE_TOLERANCE_MS;
}

/** Sets the modification date of a file. Ignores a date that the file system rejects. */
async function setModifiedTime(file: fs.FileHandle, modified: Date): Promise<void> {
  await file.utimes(modified, modified).catch(() => undefined);
}
