import { rename } from "node:fs/promises";

/**
 * Renames a complete folder to its final name. When another process has created that folder first, it remains if
 * `isUsable` returns true. Otherwise it is moved to a name next to `staged`.
 */
export async function moveIntoPlace(staged: string, target: string, isUsable: () => boolean): Promise<void> {
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
