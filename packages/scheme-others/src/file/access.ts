import { promises as fs } from "node:fs";
import { AccessError, type ContentResource, type DirectoryResource } from "@anyscheme/core";
import {
  type AccessContext,
  limitError,
  guessMediaType,
  type NotModifiedResource,
  type PlanOptions,
  type Range,
} from "@anyscheme/core/plugin";
import { readEntries, type FileEntry } from "./directory.ts";
import { mapFsErrors } from "./errors.ts";
import { procFdPath, openBelowRoot, type OpenFile, readSize } from "./open.ts";
import { type FilePlan, createStepper } from "./plan.ts";
import { type ByteRange, fileSource } from "./source.ts";

/** What a file URL gives. */
export type FileResource = ContentResource | DirectoryResource<FileEntry> | NotModifiedResource;

/** Reads a file or a directory. Nothing outside the root is read, whatever symbolic links lead to. */
export function accessFile(
  plan: FilePlan,
  context: AccessContext,
  root: string | undefined,
  options: PlanOptions,
): Promise<FileResource> {
  return mapFsErrors(async () => {
    const enterNext = createStepper(plan, context);
    enterNext();
    const opened = await openBelowRoot(root, plan.path);
    enterNext();
    try {
      if (opened.stats.isDirectory()) return await readDirectory(plan, context, opened);
      return await readFile(plan, context, opened, options);
    } catch (error) {
      await opened.handle.close();
      throw error;
    }
  });
}

async function readFile(
  plan: FilePlan,
  context: AccessContext,
  { handle, stats }: OpenFile,
  { range, ifModifiedSince }: PlanOptions,
): Promise<ContentResource | NotModifiedResource> {
  if (!stats.isFile()) throw new AccessError("no-content", "it is neither a regular file nor a directory");
  const modified = stats.mtime;
  if (ifModifiedSince && !isModifiedSince(modified, ifModifiedSince)) {
    await handle.close();
    return context.createResource("not-modified", { modified });
  }
  const extent = resolveRange(range, await readSize({ handle, stats }));
  return context.createContent({
    source: fileSource(handle, extent),
    mediaType: guessMediaType(plan.path.names.at(-1)),
    size: extent.end === undefined ? undefined : extent.end - extent.start,
    modified,
  });
}

/** A time in whole seconds comes from a protocol that has no others, so that fractions of ours do not count. */
function isModifiedSince(modified: Date, since: Date): boolean {
  const unit = since.getTime() % 1000 === 0 ? 1000 : 1;
  return !(Math.floor(modified.getTime() / unit) <= since.getTime() / unit);
}

function resolveRange(range: Range | undefined, size: number | undefined): ByteRange {
  if (!range) return { start: 0, end: size };
  if (size === undefined)
    throw new AccessError("unsupported", "the file does not tell its size, so that no part can be told");
  const { start, end = size } = range;
  if (start > size) {
    const what = `the range begins at byte ${start}, and the file has ${size} bytes`;
    throw new AccessError("out-of-range", what);
  }
  return { start, end: Math.min(end, size) };
}

async function readDirectory(
  plan: FilePlan,
  context: AccessContext,
  { handle, realPath: real }: OpenFile,
): Promise<DirectoryResource<FileEntry>> {
  const path = procFdPath(handle) ?? real;
  const names = await fs.readdir(path, { encoding: "buffer" });
  if (names.length > context.limits.maxListingEntries) {
    throw limitError("maxListingEntries", context.limits, "the directory has too many entries");
  }
  let closed = false;
  const close = (): void => {
    if (closed) return;
    closed = true;
    handle.close().catch(() => undefined);
  };
  return context.createDirectory({
    entries: readEntries(plan.url, path, names, () => closed),
    cancel: close,
  });
}
