import { constants, promises as fs, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Written at a time. Large writes cost a third of what 64 KiB writes cost, because each one is a trip through the thread pool. */
const BLOCK_BYTES = 1_048_576;

/** What a write may take that the process waits for, in milliseconds, and how many blocks are written in another way when it takes longer. */
const PATIENCE_MS = 20;
const BLOCKS = 16;

/** Of a long name, as much as leaves room for the rest of the partial file's name. */
const NAME_LENGTH = 60;

/** What `writeFileAtomic` does. */
export async function fillAside(
  path: string | Buffer,
  fill: (file: fs.FileHandle) => Promise<void>,
): Promise<void> {
  const partial = partialOf(path);
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
  const file = await fs.open(partial, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o666);
  try {
    await fill(file);
    await file.close();
    await fs.rename(partial, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await fs.rm(partial, { force: true });
    throw error;
  }
}

/** A name of its own in the same folder. Of a path in bytes, whatever their encoding, only the printable ones are part of it. */
function partialOf(path: string | Buffer): string | Buffer {
  const text = typeof path === "string" ? path : path.toString("latin1");
  const name = basename(text).slice(0, NAME_LENGTH);
  const suffix = `${Buffer.from(crypto.getRandomValues(new Uint8Array(6))).toString("hex")}.part`;
  if (typeof path === "string") return join(dirname(text), `.${name}.${suffix}`);
  return Buffer.from(join(dirname(text), `.${name.replace(/[^!-~]/g, "_")}.${suffix}`), "latin1");
}

type Read = (take: (bytes: Uint8Array) => boolean) => Promise<"more" | "end">;

/** Writes the bytes that `read` gives, as `writeFileAtomic` does. */
export function saveBytes(path: string, read: Read, patienceMs: number = PATIENCE_MS): Promise<void> {
  return fillAside(path, async (file) => {
    let state = await writeAtOnce(file, read, patienceMs);
    while (state === "more") {
      state = await writeBlocks(file, read);
      if (state === "more") state = await writeAtOnce(file, read, patienceMs);
    }
  });
}

/**
 * Hands bytes over to the system where they lie: that is a matter of microseconds, and saves a copy and a trip through the thread
 * pool. When the system takes longer, gives up, since the whole process waits.
 */
async function writeAtOnce(file: fs.FileHandle, read: Read, patienceMs: number): Promise<"more" | "end"> {
  let failure: unknown;
  const state = await read((bytes) => {
    const began = performance.now();
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(file.fd, bytes, at);
    } catch (error) {
      // Not a failure of what is read, which might be read once more.
      failure = error;
      return false;
    }
    return performance.now() - began < patienceMs;
  });
  if (failure !== undefined) throw failure;
  return state;
}

/** The same for bytes that `fill` puts into a buffer; it gives 0 at their end. */
export function saveFilled(path: string, fill: (room: Uint8Array) => Promise<number>): Promise<void> {
  return fillAside(path, async (file) => {
    let block = new Uint8Array(BLOCK_BYTES);
    let other = new Uint8Array(BLOCK_BYTES);
    let writing: Promise<unknown> = Promise.resolve();
    for (let count = await fill(block); count > 0; count = await fill(block)) {
      await writing;
      writing = writeAll(file, block, count);
      writing.catch(() => undefined);
      [block, other] = [other, block];
    }
    await writing;
  });
}

/** Some blocks, so that nobody waits for the system: one is filled while the other is being written. */
async function writeBlocks(file: fs.FileHandle, read: Read): Promise<"more" | "end"> {
  let block = new Uint8Array(BLOCK_BYTES);
  let other = new Uint8Array(BLOCK_BYTES);
  let length = 0;
  let largest = 0;
  let overflow: Uint8Array = new Uint8Array(0);
  let writing: Promise<unknown> = Promise.resolve();
  let state: "more" | "end" = "more";
  const take = (bytes: Uint8Array): boolean => {
    const count = Math.min(bytes.length, BLOCK_BYTES - length);
    block.set(bytes.subarray(0, count), length);
    length += count;
    if (count < bytes.length) overflow = new Uint8Array(bytes.subarray(count));
    largest = Math.max(largest, bytes.length);
    // Ended where the next piece may not fit: what is left over of one would have to be copied once more.
    return length === 0 || length + largest <= BLOCK_BYTES;
  };
  for (let blocks = 0; (state === "more" && blocks < BLOCKS) || overflow.length > 0; blocks++) {
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
  return state;
}

async function writeAll(file: fs.FileHandle, block: Uint8Array, length: number): Promise<void> {
  for (let at = 0; at < length;) at += (await file.write(block, at, length - at)).bytesWritten;
}
