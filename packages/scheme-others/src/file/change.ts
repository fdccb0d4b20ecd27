import { promises as fs, type Stats } from "node:fs";
import { type AccessContext, AccessError, type Performed } from "@anyscheme/core";
import { inOurWords } from "./failure.ts";
import { openFolder, realRoot } from "./place.ts";
import type { FilePlan, RenamePlan } from "./plan.ts";

/** There is nothing to tell but that it was done. */
type Done = Record<string, never>;

/** Deletes a file, a symbolic link (and not what it leads to), or an empty directory. */
export function deleteFile(
  plan: FilePlan,
  context: AccessContext<Performed>,
  root: string | undefined,
): Promise<Done> {
  return inOurWords(async () => {
    enterAll(plan, context);
    const { folder, name, directory } = await openFolder(await realRoot(root), plan.place);
    try {
      const path = folder.at(name);
      const stats = await fs.lstat(path);
      checkKind(stats, directory);
      await (stats.isDirectory() ? fs.rmdir(path) : fs.unlink(path));
      return {};
    } finally {
      await folder.close();
    }
  });
}

/** Makes a directory; the one that it is in has to be there. */
export function makeDirectory(
  plan: FilePlan,
  context: AccessContext<Performed>,
  root: string | undefined,
): Promise<Done> {
  return inOurWords(async () => {
    enterAll(plan, context);
    const { folder, name } = await openFolder(await realRoot(root), plan.place);
    try {
      await fs.mkdir(folder.at(name));
      return {};
    } finally {
      await folder.close();
    }
  });
}

/** Gives a file or directory another name under the root, where there is nothing of that name yet. */
export function renameFile(
  plan: RenamePlan,
  context: AccessContext<Performed>,
  root: string | undefined,
): Promise<Done> {
  return inOurWords(async () => {
    enterAll(plan, context);
    const real = await realRoot(root);
    const from = await openFolder(real, plan.place);
    try {
      const to = await openFolder(real, plan.target);
      try {
        const path = from.folder.at(from.name);
        checkKind(await fs.lstat(path), from.directory || to.directory);
        const target = to.folder.at(to.name);
        if (await exists(target))
          throw new AccessError("permission-denied", "there is something of the new name already");
        await fs.rename(path, target);
        return {};
      } finally {
        await to.folder.close();
      }
    } finally {
      await from.folder.close();
    }
  });
}

function enterAll(plan: FilePlan, context: AccessContext<Performed>): void {
  for (const step of plan.steps) if (step.action !== "close") context.enter(step);
}

/** A URL that ends in a slash is a directory's; devices, pipes and sockets are not ours to change. */
function checkKind(stats: Stats, directory: boolean): void {
  if (directory && !stats.isDirectory()) throw new AccessError("not-found", "it is no directory");
  if (!stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink())
    throw new AccessError("no-data-object", "it is neither a regular file nor a directory");
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
