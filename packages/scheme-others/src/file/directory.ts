import { promises as fs, type Stats } from "node:fs";
import { sep } from "node:path";
import { AccessError, type Entry } from "@anyscheme/core";
import { decodeUtf8OrLatin1 } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import { fileSyntax, type FileUrl } from "./syntax.ts";

/** An entry of a local directory. */
export interface FileEntry extends Entry {
  /** The kind of the entry. `"unknown"` for a name whose attributes cannot be read. */
  readonly kind: "file" | "directory" | "link" | "special" | "unknown";
  readonly url: FileUrl;
}

/**
 * Yields the entries of a directory, sorted by name. Reads the attributes of an entry when the caller requests the
 * entry. Skips entries that no longer exist. Throws `aborted` when the directory is closed before its end.
 */
export async function* readEntries(
  url: FileUrl,
  path: Buffer,
  names: readonly Uint8Array[],
  isClosed: () => boolean,
): AsyncGenerator<FileEntry> {
  const parents = url.segments.at(-1) === "" ? url.segments.slice(0, -1) : url.segments;
  const parentNames = parents.map(percentDecode);
  const sorted = names.toSorted((one, other) => Buffer.compare(one, other));
  for (const name of sorted) {
    if (isClosed()) throw new AccessError("aborted", "the directory was closed before its end");
    const stats = await readStats(Buffer.concat([path, Buffer.from(sep), name]));
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
 * Reads the attributes of an entry. Returns `undefined` when the system refuses the attributes. Some directories
 * permit a user to read only names.
 */
async function readStats(path: Buffer): Promise<Stats | "gone" | undefined> {
  return fs
    .lstat(path)
    .catch((error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? "gone" : undefined));
}

function toEntryKind(stats: Stats): FileEntry["kind"] {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  return stats.isSymbolicLink() ? "link" : "special";
}
