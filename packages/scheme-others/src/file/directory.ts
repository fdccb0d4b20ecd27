import { promises as fs } from "node:fs";
import { sep } from "node:path";
import type { Entry } from "@anyscheme/core";
import { decodeOctets } from "@anyscheme/core/syntax";
import { fileSyntax, type FileUrl } from "./syntax.ts";

/** An entry of a directory of this machine. */
export interface FileEntry extends Entry {
  readonly kind: "file" | "directory" | "link" | "special";
  readonly url: FileUrl;
}

const latin1 = new TextDecoder("latin1");
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The entries of a directory by name, each looked at when its turn comes; what has gone by then is left out. */
export async function* entriesOf(
  url: FileUrl,
  path: Buffer,
  names: readonly Uint8Array[],
  isClosed: () => boolean,
): AsyncGenerator<FileEntry> {
  const parents = url.segments.at(-1) === "" ? url.segments.slice(0, -1) : url.segments;
  const parentNames = parents.map(decodeOctets);
  const sorted = names.toSorted((one, other) => Buffer.compare(one, other));
  for (const name of sorted) {
    if (isClosed()) return;
    const stats = await fs.lstat(Buffer.concat([path, Buffer.from(sep), name])).catch(() => undefined);
    if (!stats) continue;
    const kind = stats.isFile()
      ? "file"
      : stats.isDirectory()
        ? "directory"
        : stats.isSymbolicLink()
          ? "link"
          : "special";
    const segments = [...parentNames, name, ...(kind === "directory" ? [""] : [])];
    yield {
      name: textOf(name),
      url: fileSyntax.build({ segments }),
      kind,
      size: kind === "file" ? stats.size : undefined,
      modified: stats.mtime,
    };
  }
}

/** A name as text: UTF-8 where it is that, else one character an octet. */
function textOf(name: Uint8Array): string {
  try {
    return utf8.decode(name);
  } catch {
    return latin1.decode(name);
  }
}
