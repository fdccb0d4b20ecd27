import { rename } from "node:fs/promises";

/**
 * Gives a finished folder its final name. When another process was faster, its folder stays, provided that
 * `isUsable` says so; otherwise it makes way, to beside `staged`.
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
