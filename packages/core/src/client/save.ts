import { randomBytes } from "node:crypto";
import { constants, promises as fs } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Written at a time. Large writes cost a third of what 64 KiB writes cost, because each one is a trip through the thread pool. */
const BLOCK_BYTES = 1_048_576;

/**
 * Writes octets into a file of their own beside `path`, and renames it when they are complete. On failure the file is
 * removed and `path` is as it was.
 */
export async function saveOctets(
  path: string,
  read: (take: (octets: Uint8Array) => boolean) => Promise<"more" | "end">,
): Promise<void> {
  const partial = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.part`);
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
  const file = await fs.open(partial, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o666);
  try {
    await writeBlocks(file, read);
    await file.close();
    await fs.rename(partial, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await fs.rm(partial, { force: true });
    throw error;
  }
}

/** One block is filled while the other is being written. */
async function writeBlocks(
  file: fs.FileHandle,
  read: (take: (octets: Uint8Array) => boolean) => Promise<"more" | "end">,
): Promise<void> {
  let block = new Uint8Array(BLOCK_BYTES);
  let other = new Uint8Array(BLOCK_BYTES);
  let length = 0;
  let overflow: Uint8Array = new Uint8Array(0);
  let writing: Promise<unknown> = Promise.resolve();
  let state: "more" | "end" = "more";
  const take = (octets: Uint8Array): boolean => {
    const count = Math.min(octets.length, BLOCK_BYTES - length);
    block.set(octets.subarray(0, count), length);
    length += count;
    if (count < octets.length) overflow = new Uint8Array(octets.subarray(count));
    return length < BLOCK_BYTES;
  };
  while (state === "more" || overflow.length > 0) {
    const left = overflow;
    overflow = new Uint8Array(0);
    if (take(left) && state === "more") state = await read(take);
    await writing;
    writing = writeAll(file, block, length);
    // A write that fails while the next block is read is reported by the next `await writing`.
    writing.catch(() => undefined);
    [block, other] = [other, block];
    length = 0;
  }
  await writing;
}

async function writeAll(file: fs.FileHandle, block: Uint8Array, length: number): Promise<void> {
  for (let at = 0; at < length;) at += (await file.write(block, at, length - at)).bytesWritten;
}
