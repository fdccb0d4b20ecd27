import { constants, promises as fs, type Stats } from "node:fs";
import { dirname } from "node:path";
import type { ContentResource } from "@anyscheme/core";
import { writeFileAtomic } from "@anyscheme/core/plugin";
import { WriteError } from "../terminal/cli-io.ts";

/** A place for bytes in the file system. */
export interface OutputFile {
  /** Takes the bytes of a resource. Throws `WriteError`, and what the resource throws. */
  save(resource: ContentResource): Promise<void>;
  /** Takes lines; a failure on either side leaves nothing behind. Throws `WriteError`, and what the lines throw. */
  saveLines(lines: AsyncIterable<string>): Promise<void>;
}

/** The calls that fail when it is our file, and not what is read, that makes trouble. */
const LOCAL_SYSTEM_CALLS: ReadonlySet<string> = new Set(["open", "write", "rename", "close"]);

/**
 * Looks at the place before anything is fetched for it. A file is written beside and renamed when it is complete; a device or
 * a pipe, which must not be replaced, is written to. Throws `WriteError` for a folder and for a place in no folder.
 */
export async function openOutputFile(path: string): Promise<OutputFile> {
  return wrapWriteErrors(path, async () => {
    const stats = await fs.stat(path).catch(undefinedIfMissing);
    if (stats?.isDirectory()) throw new Error("it is a directory; give the name of a file");
    if (!stats) await fs.access(dirname(path), constants.W_OK);
    if (stats && !stats.isFile()) return deviceAt(path);
    // What a symbolic link leads to is written, and the link stays.
    return regularFileAt(stats ? await fs.realpath(path) : path);
  });
}

function regularFileAt(path: string): OutputFile {
  return {
    save: (resource) =>
      wrapLocalWriteErrors(path, async () => {
        await resource.saveTo(path);
      }),
    saveLines: (lines) =>
      wrapLocalWriteErrors(path, async () => {
        await writeFileAtomic(path, async (file) => {
          for await (const line of lines) await file.writeFile(`${line}\n`);
        });
      }),
  };
}

/** Does work in which the file or what is read for it may fail; the former is a `WriteError`. */
async function wrapLocalWriteErrors(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { code, cause = error } = error as NodeJS.ErrnoException;
    const { syscall = "" } = cause as NodeJS.ErrnoException;
    // A connection that breaks while we write to it fails in a call of the same name.
    const local = LOCAL_SYSTEM_CALLS.has(syscall) && code !== "incomplete";
    throw local ? new WriteError(path, cause) : error;
  }
}

function deviceAt(path: string): OutputFile {
  async function pour(pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
    const file = await wrapWriteErrors(path, () => fs.open(path, "w"));
    try {
      for await (const piece of pieces) await wrapWriteErrors(path, () => file.writeFile(piece));
    } finally {
      await file.close();
    }
  }
  return { save: pour, saveLines: (lines) => pour(addNewlines(lines)) };
}

async function* addNewlines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** `undefined` for a file that is not there. */
export function undefinedIfMissing(error: NodeJS.ErrnoException): Stats | undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}

/** Does work on a file; its failure is a `WriteError`. */
export async function wrapWriteErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof WriteError ? error : new WriteError(path, error);
  }
}
