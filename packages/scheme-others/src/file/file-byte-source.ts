import type { promises as fs } from "node:fs";
import { AccessError } from "@anyscheme/core";
import type { ByteSource } from "@anyscheme/core/plugin";
import { mapFileSystemErrors } from "./errors.ts";

const READ_BLOCK_BYTES = 1_048_576;

/** A range of bytes in a file. */
export interface ByteRange {
  readonly start: number;
  /** The first byte after the range, or `undefined` for the end of the file. */
  readonly endExclusive: number | undefined;
}

/**
 * Returns a source of a range of bytes of an open file. The source closes the file at the end of the range. Calls
 * `beforeClose` before it closes a file that has been read to the end of the range.
 */
export function createFileByteSource(
  handle: fs.FileHandle,
  { start, endExclusive }: ByteRange,
  beforeClose?: () => Promise<void>,
): ByteSource {
  let position = start;
  let closing: Promise<void> | undefined;
  let pendingRead: Promise<unknown> | undefined;
  // The system may reuse the number of a closed descriptor, so a pending read must end before the close.
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      await pendingRead?.catch(() => undefined);
      await handle.close();
    })());

  /** Reads the next block. Returns `undefined` at the end of the file. */
  const readBlock = (): Promise<Uint8Array | undefined> =>
    mapFileSystemErrors(async () => {
      if (closing) throw new AccessError("aborted", "the file was closed");
      const length = Math.min(READ_BLOCK_BYTES, (endExclusive ?? Infinity) - position);
      const block = Buffer.allocUnsafeSlow(Math.max(length, 0));
      const read = length > 0 ? handle.read(block, 0, length, position) : undefined;
      pendingRead = read;
      const bytesRead = (await read)?.bytesRead ?? 0;
      position += bytesRead;
      if (bytesRead > 0) return block.subarray(0, bytesRead);
      if (endExclusive !== undefined && position < endExclusive)
        throw new AccessError("incomplete", `the file ended after ${position} of ${endExclusive} bytes`);
      if (!closing) await (pendingRead = beforeClose?.());
      await close();
      return undefined;
    });

  return {
    async readChunks(onChunk) {
      for (;;) {
        const block = await readBlock();
        if (!block) return "end";
        if (!onChunk(block)) return "more";
      }
    },
    cancel() {
      close().catch(() => undefined);
    },
  };
}
