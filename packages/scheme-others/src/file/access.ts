import { constants, promises as fs, type Stats } from "node:fs";
import { sep } from "node:path";
import {
  type AccessContext,
  AccessError,
  type ContentResource,
  type DirectoryResource,
  limitReached,
  mediaTypeOf,
} from "@anyscheme/core";
import { entriesOf, type FileEntry } from "./directory.ts";
import type { FilePlan } from "./plan.ts";
import { fileSource } from "./source.ts";

/** What a file URL gives. */
export type FileResource = ContentResource | DirectoryResource<FileEntry>;

/**
 * Opens the file first and asks questions of the descriptor afterwards, so that nothing can be exchanged in between. Nothing
 * outside the root is read, whatever symbolic links lead to.
 */
export async function accessFile(
  plan: FilePlan,
  context: AccessContext,
  root: string | undefined,
): Promise<FileResource> {
  if (root === undefined) {
    const advice = "give the folder to read from: file({ root })";
    throw new AccessError("permission-denied", "file URLs are switched off", { advice });
  }
  const [opening] = plan.steps;
  if (opening) context.enter(opening);
  const path = pathBelow(root, plan.names);
  const handle = await fs.open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const opened = await handle.stat();
    const real = await checkPlace(path, root, opened);
    if (opened.isDirectory()) return await readDirectory(plan, context, handle, real);
    if (!opened.isFile())
      throw new AccessError("no-data-object", "it is neither a regular file nor a directory");
    return context.content({
      source: fileSource(handle, opened.size),
      mediaType: mediaTypeOf(plan.names.at(-1)),
      size: opened.size,
      modified: opened.mtime,
    });
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function pathBelow(root: string, names: readonly Uint8Array[]): Buffer {
  const parts = [Buffer.from(root)];
  for (const name of names) parts.push(Buffer.from(sep), Buffer.from(name));
  return Buffer.concat(parts);
}

/** Checks that what was opened lies under the real root, and that it still is what is found there. Returns its real path. */
async function checkPlace(path: Buffer, root: string, opened: Stats): Promise<Buffer> {
  const realRoot = await fs.realpath(root, { encoding: "buffer" });
  const real = await fs.realpath(path, { encoding: "buffer" });
  const found = await fs.stat(real);
  const below = realRoot.toString("latin1").endsWith(sep)
    ? realRoot
    : Buffer.concat([realRoot, Buffer.from(sep)]);
  const inside = real.equals(realRoot) || real.subarray(0, below.length).equals(below);
  if (!inside || found.ino !== opened.ino || found.dev !== opened.dev) {
    throw new AccessError("permission-denied", "the file does not lie under the root");
  }
  return real;
}

async function readDirectory(
  plan: FilePlan,
  context: AccessContext,
  handle: fs.FileHandle,
  real: Buffer,
): Promise<DirectoryResource<FileEntry>> {
  // By the descriptor where the system has a name for it, so that the directory listed is the one that was checked.
  const path = process.platform === "linux" ? Buffer.from(`/proc/self/fd/${handle.fd}`) : real;
  const names = await fs.readdir(path, { encoding: "buffer" });
  if (names.length > context.limits.maxListingEntries) {
    throw limitReached("maxListingEntries", context.limits, "the directory has too many entries");
  }
  const close = (): void => void handle.close().catch(() => undefined);
  return context.directory({ entries: entriesOf(plan.url, path, names), cancel: close });
}
