import { promises as fs, type Stats } from "node:fs";
import { AccessError } from "@anyscheme/core";
import type { AccessContext, OperationResult } from "@anyscheme/core/plugin";
import { mapFileSystemErrors } from "./errors.ts";
import {
  type PathInOpenDirectory,
  modifyEntryBelowRoot,
  lstatIfExists,
  resolveRootDirectory,
} from "./open-below-root.ts";
import { createPlanStepStarter, type FilePlan, type FileRenamePlan } from "./plan.ts";

/** The result of deleting, creating or renaming a file or directory, which has no data. */
type EmptyOperationResult = Record<string, never>;

/**
 * Deletes a file, an empty directory, or a symbolic link. For a symbolic link, the target of the link is not deleted.
 */
export function deleteLocalEntry(
  plan: FilePlan,
  context: AccessContext<OperationResult>,
  root: string | undefined,
): Promise<EmptyOperationResult> {
  return modifyDirectoryEntry(plan, context, root, async ({ path, mustBeDirectory }) => {
    const stats = await fs.lstat(path);
    checkEntryKind(stats, mustBeDirectory);
    await (stats.isDirectory() ? fs.rmdir(path) : fs.unlink(path));
  });
}

/** Creates a directory. The parent directory must exist. */
export function makeLocalDirectory(
  plan: FilePlan,
  context: AccessContext<OperationResult>,
  root: string | undefined,
): Promise<EmptyOperationResult> {
  return modifyDirectoryEntry(plan, context, root, ({ path }) => fs.mkdir(path));
}

/** Renames a file or directory under the root. The new name of the file or directory must not exist. */
export function renameLocalEntry(
  plan: FileRenamePlan,
  context: AccessContext<OperationResult>,
  root: string | undefined,
): Promise<EmptyOperationResult> {
  return modifyDirectoryEntry(plan, context, root, (from, realRoot) =>
    modifyEntryBelowRoot(realRoot, plan.target, async (to) => {
      checkEntryKind(await fs.lstat(from.path), from.mustBeDirectory || to.mustBeDirectory);
      if (await lstatIfExists(to.path)) throw new AccessError("rejected", "the new name already exists");
      await fs.rename(from.path, to.path);
    }),
  );
}

/** Executes the steps of a plan that modifies one entry of a directory. */
function modifyDirectoryEntry(
  plan: FilePlan,
  context: AccessContext<OperationResult>,
  root: string | undefined,
  change: (entry: PathInOpenDirectory, realRoot: Buffer) => Promise<void>,
): Promise<EmptyOperationResult> {
  return mapFileSystemErrors(async () => {
    const beginNextStep = createPlanStepStarter(plan, context);
    beginNextStep();
    const realRoot = await resolveRootDirectory(root);
    await modifyEntryBelowRoot(realRoot, plan.path, (entry) => {
      beginNextStep();
      return change(entry, realRoot);
    });
    return {};
  });
}

/** Refuses to delete or rename devices, pipes and sockets. A file URL that ends in a slash must name a directory. */
function checkEntryKind(stats: Stats, mustBeDirectory: boolean): void {
  if (mustBeDirectory && !stats.isDirectory())
    throw new AccessError("not-found", "the path is not a directory");
  if (!stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink())
    throw new AccessError("no-content", "the path is neither a regular file nor a directory");
}
