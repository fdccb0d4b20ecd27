import { promises as fs, type Stats } from "node:fs";
import { AccessError } from "@anyscheme/core";
import type { AccessContext, OperationResult } from "@anyscheme/core/plugin";
import { mapFsErrors } from "./errors.ts";
import { type DirectoryEntry, inParentDirectory, realRoot } from "./open.ts";
import { type FilePlan, type RenamePlan, createStepper } from "./plan.ts";

/** There is nothing to tell but that it was done. */
type Done = Record<string, never>;

/** Deletes a file, a symbolic link (and not what it leads to), or an empty directory. */
export function deleteFile(
  plan: FilePlan,
  context: AccessContext<OperationResult>,
  root: string | undefined,
): Promise<Done> {
  return withParentDirectory(plan, context, root, async ({ path, mustBeDirectory: directory }) => {
    const stats = await fs.lstat(path);
    checkKind(stats, directory);
    await (stats.isDirectory() ? fs.rmdir(path) : fs.unlink(path));
  });
}

/** Makes a directory; the one that it is in has to be there. */
export function mkdir(
  plan: FilePlan,
  context: AccessContext<OperationResult>,
  root: string | undefined,
): Promise<Done> {
  return withParentDirectory(plan, context, root, ({ path }) => fs.mkdir(path));
}

/** Gives a file or directory another name under the root, where there is nothing of that name yet. */
export function renameFile(
  plan: RenamePlan,
  context: AccessContext<OperationResult>,
  root: string | undefined,
): Promise<Done> {
  return withParentDirectory(plan, context, root, (from, real) =>
    inParentDirectory(real, plan.target, async (to) => {
      checkKind(await fs.lstat(from.path), from.mustBeDirectory || to.mustBeDirectory);
      if (await exists(to.path))
        throw new AccessError("permission-denied", "there is something of the new name already");
      await fs.rename(from.path, to.path);
    }),
  );
}

/** Performs a plan by changing something in the folder that its place is in. */
function withParentDirectory(
  plan: FilePlan,
  context: AccessContext<OperationResult>,
  root: string | undefined,
  change: (entry: DirectoryEntry, real: Buffer) => Promise<void>,
): Promise<Done> {
  return mapFsErrors(async () => {
    const enterNext = createStepper(plan, context);
    enterNext();
    const real = await realRoot(root);
    await inParentDirectory(real, plan.path, (entry) => {
      enterNext();
      return change(entry, real);
    });
    return {};
  });
}

/** A URL that ends in a slash is a directory's; devices, pipes and sockets are not ours to change. */
function checkKind(stats: Stats, directory: boolean): void {
  if (directory && !stats.isDirectory()) throw new AccessError("not-found", "it is no directory");
  if (!stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink())
    throw new AccessError("no-content", "it is neither a regular file nor a directory");
}

async function exists(path: Buffer): Promise<boolean> {
  return fs.lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
}
