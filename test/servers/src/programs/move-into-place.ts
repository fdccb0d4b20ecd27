import { rename } from "node:fs/promises";

/**
 * Renames a complete folder to its final name. When another process has created the target first, the target remains if
 * `isUsable` returns true. If `isUsable` returns false, the function moves the old target to a name next to `staged`.
 */
export async function moveFolderIntoPlace(
  staged: string,
  target: string,
  isUsable: () => boolean,
): Promise<void> {
  try {
    await rename(staged, target);
  } catch (error) {
    if (isUsable()) return;
    await rename(target, `${staged}-outdated`).catch(() => {
      throw error;
    });
    await rename(staged, target);
  }
}
