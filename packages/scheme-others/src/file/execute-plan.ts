import { promises as fs, type Stats } from "node:fs";
import { sep } from "node:path";
import {
  AccessError,
  type ContentResource,
  type DirectoryResource,
  type DirectoryEntry,
  type Stat,
  type NotModifiedResource,
} from "@anyscheme/core";
import {
  type AccessContext,
  type ByteSource,
  decodeUtf8OrLatin1,
  guessMediaType,
  createLimitError,
  type PlanOptions,
  type Range,
  type OperationResultInit,
  type FileVersionAttributes,
  createOnlyIfCachedError,
  type VersionCheckedFileCache,
} from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import { mapFileSystemErrors } from "./errors.ts";
import { openBelowRoot, type OpenFile, getFileDescriptorPath, readOpenFileSize } from "./open-below-root.ts";
import {
  createLocalFileContentCache,
  isOpenFileUnchanged,
  readFileVersion,
} from "./local-file-content-cache.ts";
import { createPlanStepStarter, type FilePlan } from "./plan.ts";
import { type ByteRange, createFileByteSource } from "./file-byte-source.ts";
import { fileSyntax, type FileUrl } from "./syntax.ts";

/** An entry of a local directory. */
export interface FileEntry extends DirectoryEntry {
  /** The kind of the local directory entry. `"unknown"` if the attributes of the entry cannot be read. */
  readonly kind: "file" | "directory" | "link" | "special" | "unknown";
  readonly url: FileUrl;
}

/** The resource of a file URL. */
export type FileResource = ContentResource | DirectoryResource<FileEntry> | NotModifiedResource;

/**
 * Reads a file or lists a directory. Throws `permission-denied` for a path that is outside the root because of a
 * symbolic link, and `unavailable` for `only-if-cached` without a stored file.
 */
export function readFileOrListDirectory(
  plan: FilePlan,
  context: AccessContext,
  root: string | undefined,
  options: PlanOptions,
): Promise<FileResource> {
  return mapFileSystemErrors(async () => {
    const beginNextStep = createPlanStepStarter(plan, context);
    beginNextStep();
    const openFile = await openBelowRoot(root, plan.path);
    beginNextStep();
    try {
      if (openFile.stats.isDirectory()) {
        if (options.cache === "only-if-cached") throw createOnlyIfCachedError();
        return await openDirectoryResource(plan, context, openFile);
      }
      return await readFile(plan, context, openFile, options);
    } catch (error) {
      await openFile.handle.close();
      throw error;
    }
  });
}

async function readFile(
  plan: FilePlan,
  context: AccessContext,
  openFile: OpenFile,
  options: PlanOptions,
): Promise<ContentResource | NotModifiedResource> {
  const { handle, stats } = openFile;
  const { ifModifiedSince } = options;
  if (!stats.isFile())
    throw new AccessError("no-content", "the path is neither a regular file nor a directory");
  const cache = createLocalFileContentCache(openFile, context, options);
  const stored = await cache?.findUnchecked();
  const modified = stored?.modified ?? stats.mtime;
  if (ifModifiedSince && !isModifiedSince(modified, ifModifiedSince)) {
    await handle.close();
    return context.createResource("not-modified", { modified });
  }
  const mediaType = guessMediaType(plan.path.segments.at(-1));
  const version = cache && !stored ? await readFileVersion(openFile) : undefined;
  const body = stored ? await stored.openBody() : version && (await cache?.openCurrent(version));
  if (body) {
    await handle.close();
    const size = (stored ?? version)?.size;
    return context.createContent({ source: body, mediaType, size, totalSize: size, modified });
  }
  if (options.cache === "only-if-cached") throw createOnlyIfCachedError();
  const totalSize = await readOpenFileSize(openFile);
  const { start, endExclusive } = resolveByteRange(options.range, totalSize);
  return context.createContent({
    source: await createStoredFileSource(handle, { start, endExclusive }, cache, version),
    mediaType,
    size: endExclusive === undefined ? undefined : endExclusive - start,
    totalSize,
    modified: stats.mtime,
  });
}

/** Returns a source of the bytes of a file, which stores a whole file of a known version in the cache. */
function createStoredFileSource(
  handle: fs.FileHandle,
  range: ByteRange,
  cache: VersionCheckedFileCache | undefined,
  version: FileVersionAttributes | undefined,
): ByteSource | Promise<ByteSource> {
  if (!cache || !version) return createFileByteSource(handle, range);
  let isUnchanged = false;
  const source = createFileByteSource(handle, range, async () => {
    isUnchanged = await isOpenFileUnchanged(handle, version);
  });
  return cache.store(version, source, () => isUnchanged);
}

/**
 * True when the file was modified after `since`. Ignores fractions of a second if `since` has no fraction, as in an
 * HTTP date.
 */
function isModifiedSince(modified: Date, since: Date): boolean {
  const unit = since.getTime() % 1000 === 0 ? 1000 : 1;
  return !(Math.floor(modified.getTime() / unit) <= since.getTime() / unit);
}

function resolveByteRange(range: Range | undefined, size: number | undefined): ByteRange {
  if (!range) return { start: 0, endExclusive: size };
  if (size === undefined)
    throw new AccessError("unsupported", "the file has no known size, so a range of bytes cannot be read");
  const { start, endExclusive = size } = range;
  if (start > size) {
    const reason = `the range begins at byte ${start}, and the file has ${size} bytes`;
    throw new AccessError("out-of-range", reason, { totalSize: size });
  }
  return { start, endExclusive: Math.min(endExclusive, size) };
}

async function openDirectoryResource(
  plan: FilePlan,
  context: AccessContext,
  { handle, realPath }: OpenFile,
): Promise<DirectoryResource<FileEntry>> {
  const path = getFileDescriptorPath(handle) ?? realPath;
  const names = await fs.readdir(path, { encoding: "buffer" });
  if (names.length > context.limits.maxListingEntries)
    throw createLimitError("maxListingEntries", context.limits, "the directory has too many entries");
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    handle.close().catch(() => undefined);
  };
  const entries = readLocalDirectoryEntries(plan.url, path, names, () => isClosed);
  return context.createDirectory({ entries, cancel: close });
}

/**
 * Yields the entries of a directory, sorted by name. Reads the attributes of an entry when the caller requests it.
 * Skips directory entries that no longer exist. Throws `aborted` when the caller closes the directory before its last
 * entry.
 */
export async function* readLocalDirectoryEntries(
  url: FileUrl,
  path: Buffer,
  names: readonly Uint8Array[],
  isClosed: () => boolean,
): AsyncGenerator<FileEntry> {
  const { resolvedSegments } = url;
  const parents = resolvedSegments.at(-1) === "" ? resolvedSegments.slice(0, -1) : resolvedSegments;
  const parentNames = parents.map(percentDecode);
  const sorted = names.toSorted((one, other) => Buffer.compare(one, other));
  for (const name of sorted) {
    if (isClosed()) throw new AccessError("aborted", "the directory was closed before its end");
    const stats = await readEntryStats(Buffer.concat([path, Buffer.from(sep), name]));
    if (stats === "gone") continue;
    const kind = stats ? toEntryKind(stats) : "unknown";
    const segments = [...parentNames, name, ...(kind === "directory" ? [""] : [])];
    yield {
      name: decodeUtf8OrLatin1(name),
      url: fileSyntax.build({ segments }),
      kind,
      size: kind === "file" ? stats?.size : undefined,
      modified: stats?.mtime,
    };
  }
}

/**
 * Reads the attributes of a directory entry. Returns `undefined` when the operating system refuses the attributes. Some
 * directories permit a user to read the names, but not the attributes.
 */
async function readEntryStats(path: Buffer): Promise<Stats | "gone" | undefined> {
  return fs
    .lstat(path)
    .catch((error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? "gone" : undefined));
}

function toEntryKind(stats: Stats): FileEntry["kind"] {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  return stats.isSymbolicLink() ? "link" : "special";
}

/**
 * Reads the attributes of a file or directory. Devices and pipes have the kind `unknown`. Throws `no-content` for a
 * socket, and `unavailable` for `only-if-cached` without a stored file.
 */
export function statFile(
  plan: FilePlan,
  context: AccessContext<Stat>,
  root: string | undefined,
  options: PlanOptions,
): Promise<OperationResultInit<Stat>> {
  return mapFileSystemErrors(async () => {
    createPlanStepStarter(plan, context)();
    const openFile = await openBelowRoot(root, plan.path);
    const { handle, stats } = openFile;
    try {
      const mediaType = guessMediaType(plan.path.segments.at(-1));
      const cache = stats.isFile() ? createLocalFileContentCache(openFile, context, options) : undefined;
      const stored = await cache?.findUnchecked();
      if (stored) return { kind: "content", size: stored.size, modified: stored.modified, mediaType };
      if (options.cache === "only-if-cached") throw createOnlyIfCachedError();
      const modified = stats.mtime;
      if (!stats.isFile()) {
        const kind = stats.isDirectory() ? "directory" : "unknown";
        return { kind, size: undefined, modified, mediaType: undefined };
      }
      return { kind: "content", size: await readOpenFileSize(openFile), modified, mediaType };
    } finally {
      await handle.close();
    }
  });
}
