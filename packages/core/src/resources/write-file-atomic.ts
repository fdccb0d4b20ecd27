import type { FileHandle } from "node:fs/promises";

/**
 * Has a file of its own beside `path` filled, and renames it when it is complete. On failure the file is removed and `path` is
 * as it was. Throws what `fill` throws, and the errors of the file system.
 */
export async function writeFileAtomic(
  path: string | Buffer,
  fill: (file: FileHandle) => Promise<void>,
): Promise<void> {
  // Loaded by the first file: most programs write none.
  const { fillAside } = await import("./save.ts");
  return fillAside(path, fill);
}
