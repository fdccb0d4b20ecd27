import type { promises as fs } from "node:fs";
import { AccessError } from "@anyscheme/core";
import type { ByteSource } from "@anyscheme/core/plugin";
import { mapFsErrors } from "./errors.ts";

/** The size of a read from the file, in bytes. */
const BLOCK_BYTES = 1_048_576;

/** A part of a file. */
export interface ByteRange {
  readonly start: number;
  /** The first byte after the range, or `undefined` for the end of the file. */
  readonly end: number | undefined;
}

/**
 * Returns a source of the bytes of an open file. Ends at the size that the file had when it was opened. Closes the
 * file at the end.
 */
export function fileSource(handle: fs.FileHandle, { start, end }: ByteRange): ByteSource {
  let position = start;
  let closing: Promise<void> | undefined;
  let pendingRead: Promise<unknown> | undefined;
  // The system may reuse the number of a closed descriptor, so a pending read must end first.
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      await pendingRead?.catch(() => undefined);
      await handle.close();
    })());

  /** Reads once into a buffer. Returns the number of bytes read, which is 0 at the end of the file. */
  const readInto = (target: Uint8Array): Promise<number> =>
    mapFsErrors(async () => {
      if (closing) throw new AccessError("aborted", "the file was closed");
      const length = end === undefined ? target.length : Math.min(target.length, end - position);
      const read = length > 0 ? handle.read(target, 0, length, position) : undefined;
      pendingRead = read;
      const bytesRead = (await read)?.bytesRead ?? 0;
      position += bytesRead;
      if (bytesRead > 0) return bytesRead;
      if (end !== undefined && position < end)
        throw new AccessError("incomplete", `the file ended after ${position} of ${end} bytes`);
      await close();
      return 0;
    });

  return {
    async read(onChunk) {
      for (;;) {
        const buffer = Buffer.allocUnsafeSlow(
          Math.min(BLOCK_BYTES, Math.max((end ?? Infinity) - position, 1)),
        );
        const bytesRead = await readInto(buffer);
        if (bytesRead === 0) return "end";
        if (!onChunk(buffer.subarray(0, bytesRead))) return "more";
      }
    },
    cancel() {
      close().catch(() => undefined);
    },
  };
}
