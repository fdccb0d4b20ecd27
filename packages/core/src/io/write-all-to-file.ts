import type { FileHandle } from "node:fs/promises";

/** Writes all bytes to a file, at a position or at the current position of the file. */
export async function writeAllBytesToFile(
  file: FileHandle,
  bytes: Uint8Array,
  position: number | null = null,
): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const at = position === null ? null : position + done;
    done += (await file.write(bytes, done, bytes.length - done, at)).bytesWritten;
  }
}
