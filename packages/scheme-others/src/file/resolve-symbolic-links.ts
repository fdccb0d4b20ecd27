import { promises as fs } from "node:fs";
import { dirname, isAbsolute, join, parse, sep } from "node:path";
import { AccessError } from "@anyscheme/core";

/** The maximum number of symbolic links in one path, as on Linux (path_resolution(7)). */
const MAX_LINKS = 40;

// A path on a POSIX system is a sequence of bytes, and latin1 keeps each byte as one character.
const PATH_ENCODING = sep === "\\" ? "utf8" : "latin1";
const SEPARATORS = sep === "\\" ? /[\\/]/ : "/";

/** Returns the error for a path that leads outside the root. */
export function createOutsideRootError(): AccessError {
  return new AccessError("permission-denied", "the file is outside the root directory");
}

/**
 * Returns the path below the root that the segments name, without symbolic links except the last segment. Reads each
 * link before following it, and throws `permission-denied` as soon as a link leads outside the root. Neither an error
 * nor a system call depends on the files outside the root.
 */
export async function resolveSymbolicLinksBelowRoot(
  realRoot: Buffer,
  segments: readonly Uint8Array[],
): Promise<Buffer> {
  const root = realRoot.toString(PATH_ENCODING);
  const pending = segments.map((name) => Buffer.from(name).toString(PATH_ENCODING)).toReversed();
  let path = root;
  let links = 0;
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    // An empty last segment of a file URL is the "/" after a directory.
    if (name === "" && pending.length === 0 && path !== root) return Buffer.from(path + sep, PATH_ENCODING);
    if (name === "" || name === ".") continue;
    path = name === ".." ? dirname(path) : join(path, name);
    if (isBelow(path, root)) {
      if (pending.length === 0) break;
      const target = await readLink(path);
      if (target === undefined) continue;
      if (++links > MAX_LINKS)
        throw new AccessError("permission-denied", "the path has too many symbolic links");
      path = isAbsolute(target) ? parse(target).root : dirname(path);
      const targetNames = target.slice(isAbsolute(target) ? parse(target).root.length : 0).split(SEPARATORS);
      pending.push(...targetNames.toReversed());
    } else if (path !== root && !isBelow(root, path)) {
      throw createOutsideRootError();
    }
  }
  if (path !== root && !isBelow(path, root)) throw createOutsideRootError();
  return Buffer.from(path, PATH_ENCODING);
}

/** True for a path of an entry below a directory. */
function isBelow(path: string, directory: string): boolean {
  return path.startsWith(directory.endsWith(sep) ? directory : directory + sep) && path !== directory;
}

/** Returns the target of a symbolic link, or `undefined` for another file. */
async function readLink(path: string): Promise<string | undefined> {
  try {
    const target = await fs.readlink(Buffer.from(path, PATH_ENCODING), { encoding: "buffer" });
    // The function `readlink` of Deno returns a Uint8Array that is not a Buffer.
    return Buffer.from(target).toString(PATH_ENCODING);
  } catch (error) {
    // EINVAL, or UNKNOWN on Windows: the file is not a symbolic link.
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EINVAL" || code === "UNKNOWN") return undefined;
    throw error;
  }
}
