import type { promises as fs } from "node:fs";
import { AccessError } from "@anyscheme/core";
import type { ByteSource } from "@anyscheme/core/plugin";
import { mapFsErrors } from "./errors.ts";

/** Read at a time: 1 MiB into one buffer is four times as fast as the 64 KiB pieces of a file stream. */
const BLOCK_BYTES = 1_048_576;

/** A part of a file. */
export interface ByteRange {
  readonly start: number;
  /** The first byte that is no longer part of it; `undefined` where only reading tells the end. */
  readonly end: number | undefined;
}

/** The bytes of an open file, as far as it reached when it was opened. Closes the file at the end. */
export function fileSource(handle: fs.FileHandle, { start, end }: ByteRange): ByteSource {
  let buffer: Uint8Array | undefined;
  let position = start;
  let closing: Promise<void> | undefined;
  let reading: Promise<unknown> | undefined;
  // A descriptor that is closed while it is read from may be another file's by the time the system reads.
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      await reading?.catch(() => undefined);
      await handle.close();
    })());

  /** Reads once; 0 at the end, which is where it was, or where reading finds it when nothing else has told. */
  const fill = (room: Uint8Array): Promise<number> =>
    mapFsErrors(async () => {
      if (closing) throw new AccessError("aborted", "the file was closed");
      const length = end === undefined ? room.length : Math.min(room.length, end - position);
      const read = length > 0 ? handle.read(room, 0, length, position) : undefined;
      reading = read;
      const bytesRead = (await read)?.bytesRead ?? 0;
      position += bytesRead;
      if (bytesRead > 0) return bytesRead;
      if (end !== undefined && position < end)
        throw new AccessError("incomplete", `the file ended after ${position} of ${end} bytes`);
      await close();
      return 0;
    });

  return {
    async read(take) {
      buffer ??= new Uint8Array(Math.min(BLOCK_BYTES, Math.max((end ?? Infinity) - start, 1)));
      for (;;) {
        const count = await fill(buffer);
        if (count === 0) return "end";
        if (!take(buffer.subarray(0, count))) return "more";
      }
    },
    cancel() {
      close().catch(() => undefined);
    },
  };
}
