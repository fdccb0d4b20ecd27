import { constants, promises as fs, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ContentResource } from "@anyscheme/core";
import { undefinedIfMissing, wrapWriteErrors } from "../output/output-file.ts";
import { partialName } from "./local-folder.ts";

/** What a listing tells of a file. */
export interface ListedFile {
  readonly size?: number | undefined;
  readonly modified?: Date | undefined;
}

/** A place for one file of a tree. */
export interface MirrorFile {
  readonly path: string;
  /** Whether what is there already has the size and the date that the server tells. */
  readonly isUpToDate: boolean;
  /** The byte to begin with: behind what an earlier run has received of the same file. */
  readonly start: number;
  /** Takes the content from that byte on; it appears under its name when it is complete. */
  save(resource: ContentResource, start: number): Promise<number>;
}

/** Dates of listings have seconds at best. */
const SAME_DATE_MS = 1_000;

/**
 * Looks at the place. With `canGoOn`, what is there of an interrupted transfer is kept for the next one, beside the name and
 * with the date of the original. Throws `WriteError` for a link, and for what is no file.
 */
export async function openMirrorFile(path: string, told: ListedFile, canGoOn: boolean): Promise<MirrorFile> {
  const partial = join(dirname(path), partialName(basename(path)));
  const [there, begun] = await Promise.all([statFile(path), statFile(partial)]);
  const goesOn = canGoOn && told.size !== undefined && told.modified !== undefined;
  return {
    path,
    isUpToDate: there !== undefined && there.size === told.size && isSameDate(there, told),
    start: goesOn && begun && begun.size < (told.size ?? 0) && isSameDate(begun, told) ? begun.size : 0,
    async save(resource, start) {
      const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
      const flags = O_CREAT | O_WRONLY | O_NOFOLLOW | (start === 0 ? O_TRUNC : 0);
      const file = await wrapWriteErrors(path, () => fs.open(partial, flags, 0o666));
      const modified = told.modified ?? resource.modified;
      let at = start;
      let complete = false;
      try {
        for await (const piece of resource) {
          await wrapWriteErrors(path, () => writeAll(file, piece, at));
          at += piece.length;
        }
        complete = true;
      } finally {
        if (modified && (complete || goesOn)) await setModified(file, modified);
        await file.close();
        if (!complete && !goesOn) await fs.rm(partial, { force: true });
      }
      await wrapWriteErrors(path, () => fs.rename(partial, path));
      return at;
    },
  };
}

async function statFile(path: string): Promise<Stats | undefined> {
  return wrapWriteErrors(path, async () => {
    const stats = await fs.lstat(path).catch(undefinedIfMissing);
    if (stats?.isSymbolicLink()) throw new Error("it is a link, and nothing is written through it");
    if (stats && !stats.isFile()) throw new Error("what is there is no file");
    return stats;
  });
}

function isSameDate(stats: Stats, { modified }: ListedFile): boolean {
  return modified !== undefined && Math.abs(stats.mtimeMs - modified.getTime()) < SAME_DATE_MS;
}

/** A date that the file system does not take makes no difference to the content. */
async function setModified(file: fs.FileHandle, modified: Date): Promise<void> {
  await file.utimes(modified, modified).catch(() => undefined);
}

async function writeAll(file: fs.FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
}
