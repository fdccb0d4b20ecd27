import { constants } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * The maximum number of characters (of bytes in a `Buffer`) of the file's name that the temporary name repeats. File
 * systems limit the length of names.
 */
const MAX_REPEATED_NAME_LENGTH = 60;

/**
 * Writes a temporary file in the directory of `path` and renames it to `path`. A failure removes the temporary file and
 * does not change `path`. Throws the errors of the callback `write` and of the file system.
 */
export async function writeFileAtomic(
  path: string | Buffer,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const temporary = createTemporaryPath(path);
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
  const file = await open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o666);
  try {
    await write(file);
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Returns a path for a new temporary file in the same directory. In a `Buffer`, replaces the bytes of the file name
 * that are not visible ASCII characters, because the encoding of the name is unknown.
 */
function createTemporaryPath(path: string | Buffer): string | Buffer {
  const text = typeof path === "string" ? path : path.toString("latin1");
  const name = basename(text).slice(0, MAX_REPEATED_NAME_LENGTH);
  const suffix = `${Buffer.from(crypto.getRandomValues(new Uint8Array(6))).toString("hex")}.part`;
  if (typeof path === "string") return join(dirname(text), `.${name}.${suffix}`);
  return Buffer.from(join(dirname(text), `.${name.replace(/[^!-~]/g, "_")}.${suffix}`), "latin1");
}
