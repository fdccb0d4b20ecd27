import { constants, promises as fs, type Stats } from "node:fs";
import { dirname } from "node:path";
import type { ContentResource } from "@anyscheme/core";
import { writeAllBytesToFile } from "@anyscheme/core/io";
import { writeFileAtomic } from "@anyscheme/core/plugin";
import type { CommandLineRequestOptions } from "../args/parse-option-values.ts";
import type { OptionValues } from "../args/options.ts";
import { UsageError, WriteError } from "../errors/cli-errors.ts";

/**
 * An output file of the command, which receives a body or lines. The methods `saveBody` and `saveLines` reject with
 * `WriteError` if the file cannot be written, and with the errors of reading the body or the lines.
 */
export interface OutputFile {
  saveBody(resource: ContentResource): Promise<void>;
  saveLines(lines: AsyncIterable<string>): Promise<void>;
}

/**
 * The system calls that an error of Node.js names when an output file cannot be written. Errors of sockets name other
 * system calls, except for "write".
 */
const OUTPUT_FILE_SYSTEM_CALLS: ReadonlySet<string> = new Set(["open", "write", "rename", "close"]);

/**
 * Checks the path of an output file before the request, and returns the file. A regular file is written under a
 * temporary name and renamed when it is complete. A device or a pipe is written directly. Throws `WriteError` if the
 * path is a folder, or if the parent folder is missing.
 */
export async function openOutputFile(path: string): Promise<OutputFile> {
  return rethrowErrorsAsWriteError(path, async () => {
    const stats = await fs.stat(path).catch(rethrowUnlessFileMissing);
    if (stats?.isDirectory()) throw new Error("the output path is a directory; give the name of a file");
    if (!stats) await fs.access(dirname(path), constants.W_OK);
    if (stats && !stats.isFile()) return createDeviceOutput(path);
    // The command writes to the target of a symbolic link, and does not replace the link.
    return createRegularFileOutput(stats ? await fs.realpath(path) : path);
  });
}

function createRegularFileOutput(path: string): OutputFile {
  return {
    saveBody: (resource) => rethrowFileSystemErrorsAsWriteError(path, () => resource.saveTo(path)),
    saveLines: (lines) =>
      rethrowFileSystemErrorsAsWriteError(path, () =>
        writeFileAtomic(path, async (file) => {
          for await (const line of lines) await file.writeFile(`${line}\n`);
        }),
      ),
  };
}

/** Runs a task that reads a resource and writes a file. Converts an error of the file to a `WriteError`. */
async function rethrowFileSystemErrorsAsWriteError(
  path: string,
  task: () => Promise<unknown>,
): Promise<void> {
  try {
    await task();
  } catch (error) {
    const { code, cause = error } = error as NodeJS.ErrnoException;
    const { syscall = "" } = cause as NodeJS.ErrnoException;
    // A lost connection can also fail in the system call "write", but with the error code `incomplete`.
    const isLocal = OUTPUT_FILE_SYSTEM_CALLS.has(syscall) && code !== "incomplete";
    throw isLocal ? new WriteError(path, cause) : error;
  }
}

function createDeviceOutput(path: string): OutputFile {
  async function writeChunks(chunks: AsyncIterable<string | Uint8Array>): Promise<void> {
    const file = await rethrowErrorsAsWriteError(path, () => fs.open(path, "w"));
    try {
      for await (const chunk of chunks) await rethrowErrorsAsWriteError(path, () => file.writeFile(chunk));
    } finally {
      await file.close();
    }
  }
  return { saveBody: writeChunks, saveLines: (lines) => writeChunks(addNewlines(lines)) };
}

async function* addNewlines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** Writes chunks into an open file from the byte offset `start` on. Resolves to the offset after the last chunk. */
export async function writeChunksFromOffset(
  file: fs.FileHandle,
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  start: number,
): Promise<number> {
  let offset = start;
  for await (const chunk of chunks) {
    await rethrowErrorsAsWriteError(path, () => writeAllBytesToFile(file, chunk, offset));
    offset += chunk.length;
  }
  return offset;
}

/** Returns `undefined` if a file system error says that a file does not exist. Rethrows any other error. */
export function rethrowUnlessFileMissing(error: NodeJS.ErrnoException): Stats | undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}

/** Runs a task that accesses a file. Converts an error of the task to a `WriteError`. */
export async function rethrowErrorsAsWriteError<T>(path: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw error instanceof WriteError ? error : new WriteError(path, error);
  }
}

/** The output file of a body, and the plan options that request the missing part of the body. */
export interface OutputTarget {
  /** The path of the output file. With `--no-clobber`, the path may be the given path with an appended number. */
  readonly path: string | undefined;
  readonly file: OutputFile | undefined;
  readonly planOptions: CommandLineRequestOptions;
  /**
   * Deletes the empty file that reserves the path of `--no-clobber`. A file into which the body has been saved is not
   * deleted.
   */
  readonly releasePath?: () => Promise<void>;
}

/**
 * Prepares the output file for the body of a resource. With `--continue-at`, the file receives only the part of the
 * body after the offset. Throws `UsageError` for invalid options, and `WriteError` if the path cannot be written.
 */
export async function openOutputTarget(
  path: string | undefined,
  optionValues: OptionValues,
): Promise<OutputTarget> {
  if (path !== undefined && optionValues["create-dirs"])
    await rethrowErrorsAsWriteError(path, () => fs.mkdir(dirname(path), { recursive: true }));
  const offset = parseContinueAt(optionValues["continue-at"]);
  if (offset !== undefined && optionValues.clobber === false)
    throw new UsageError("--continue-at and --no-clobber exclude each other", "get");
  if (path !== undefined && optionValues.clobber === false) return openNewOutputTarget(path);
  if (offset === undefined)
    return { path, file: path === undefined ? undefined : await openOutputFile(path), planOptions: {} };
  if (path === undefined)
    throw new UsageError("--continue-at needs a file: --output or --remote-name", "get");
  const size = await readFileSize(path);
  const start = offset === "end" ? size : offset;
  if (start > size)
    throw new UsageError(
      `--continue-at ${start} is after the end of ${path}, which has ${size} bytes; -C - resumes at the end`,
      "get",
    );
  return { path, file: createResumedFileOutput(path, start), planOptions: { range: { start } } };
}

/** The last number that `--no-clobber` appends to a path, as in curl. */
const MAX_PATH_NUMBER = 100;

/**
 * Creates an empty file that reserves the path, or the path with the first free number, as in `file.1`. Because the
 * empty file exists, no other program that requires a new file can use this path before the body is complete. Throws
 * `WriteError` if files with all numbers exist.
 */
async function openNewOutputTarget(path: string): Promise<OutputTarget> {
  for (let number = 0; number <= MAX_PATH_NUMBER; number++) {
    const numberedPath = number === 0 ? path : `${path}.${number}`;
    const inode = await rethrowErrorsAsWriteError(numberedPath, () => createEmptyFile(numberedPath));
    if (inode === undefined) continue;
    const releasePath = async (): Promise<void> => {
      const stats = await fs.lstat(numberedPath, { bigint: true }).catch(() => undefined);
      // After the body is saved, the path leads to another file, which has replaced the empty file.
      if (stats?.ino === inode && stats.size === 0n) await fs.rm(numberedPath, { force: true });
    };
    return {
      path: numberedPath,
      file: createRegularFileOutput(numberedPath),
      planOptions: {},
      releasePath,
    };
  }
  throw new WriteError(path, new Error(`the file and the numbers up to ${MAX_PATH_NUMBER} exist`));
}

/**
 * Creates an empty file, and resolves to its inode number. Resolves to `undefined` if a file with this path already
 * exists.
 */
async function createEmptyFile(path: string): Promise<bigint | undefined> {
  try {
    await using file = await fs.open(path, "wx");
    return (await file.stat({ bigint: true })).ino;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
}

/**
 * Sets the modification time of a regular file. Leaves the modification time of a device or a pipe unchanged. Throws
 * `WriteError`.
 */
export async function setModificationTime(path: string, modified: Date): Promise<void> {
  await rethrowErrorsAsWriteError(path, async () => {
    if ((await fs.stat(path)).isFile()) await fs.utimes(path, new Date(), modified);
  });
}

/** Parses the value of `--continue-at`: a byte offset, or `-` for the end of the file. */
function parseContinueAt(text: string | undefined): number | "end" | undefined {
  if (text === undefined) return undefined;
  if (text === "-") return "end";
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError("--continue-at needs a number of bytes, or - for the end of the file");
}

async function readFileSize(path: string): Promise<number> {
  return rethrowErrorsAsWriteError(path, async () => {
    const stats = await fs.stat(path).catch(rethrowUnlessFileMissing);
    if (stats && !stats.isFile())
      throw new Error(
        stats.isDirectory()
          ? "the output path is a directory; give the name of a file"
          : "not a regular file",
      );
    return stats?.size ?? 0;
  });
}

/**
 * Returns an output file that is truncated to `start` bytes and written in place. After a failure, the incomplete file
 * is kept, so that the next run can resume the transfer.
 */
function createResumedFileOutput(path: string, start: number): OutputFile {
  return {
    async saveBody(resource) {
      const { O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
      const file = await rethrowErrorsAsWriteError(path, () =>
        fs.open(path, O_CREAT | O_WRONLY | O_NOFOLLOW, 0o666),
      );
      try {
        // The existing output file may have more bytes after the offset than the server sends.
        await rethrowErrorsAsWriteError(path, () => file.truncate(start));
        await writeChunksFromOffset(file, path, resource, start);
      } finally {
        await file.close();
      }
    },
    saveLines: () =>
      Promise.reject(
        new WriteError(
          path,
          new Error("only the transfer of a file can be resumed, not a directory listing"),
        ),
      ),
  };
}
