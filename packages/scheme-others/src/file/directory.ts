import { promises as fs, type Stats } from "node:fs";
import { sep } from "node:path";
import { AccessError, type Entry } from "@anyscheme/core";
import { percentDecode } from "@anyscheme/core/syntax";
import { fileSyntax, type FileUrl } from "./syntax.ts";

/** An entry of a directory of this machine. */
export interface FileEntry extends Entry {
  /** `"unknown"` for a name of which the system tells nothing more. */
  readonly kind: "file" | "directory" | "link" | "special" | "unknown";
  readonly url: FileUrl;
}

const latin1 = new TextDecoder("latin1");
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The entries of a directory by name, each looked at when its turn comes; what has gone by then is left out. Throws `aborted` when the
 * directory is closed before its end.
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
    const stats = await lstatOrUndefined(Buffer.concat([path, Buffer.from(sep), name]));
    if (stats === "gone") continue;
    const kind = stats ? toEntryKind(stats) : "unknown";
    const segments = [...parentNames, name, ...(kind === "directory" ? [""] : [])];
    yield {
      name: decodeName(name),
      url: fileSyntax.build({ segments }),
      kind,
      size: kind === "file" ? stats?.size : undefined,
      modified: stats?.mtime,
    };
  }
}

/** `undefined` where the system refuses to tell: a folder may allow its names to be read and nothing else. */
async function lstatOrUndefined(path: Buffer): Promise<Stats | "gone" | undefined> {
  return fs
    .lstat(path)
    .catch((error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? "gone" : undefined));
}

function toEntryKind(stats: Stats): FileEntry["kind"] {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  return stats.isSymbolicLink() ? "link" : "special";
}

/** A name as text: UTF-8 where it is that, else one character a byte. */
function decodeName(name: Uint8Array): string {
  try {
    return utf8.decode(name);
  } catch {
    return latin1.decode(name);
  }
}
