import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Files to serve: path below the root → content. Strings are written in UTF-8; a path that ends in `/` is a folder. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A fresh directory below the system's folder for temporary files. */
export async function createThrowawayDirectory(name: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `anyscheme-${name}-`));
  // A daemon that has given up root must pass through to its document root.
  await chmod(directory, 0o711);
  return directory;
}

/** Removes the directory with everything in it. */
export async function removeThrowawayDirectory(directory: string): Promise<void> {
  // A session that was just killed may still have been writing its log.
  await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
}

/** Creates a folder that everybody may read, whatever the umask. */
export async function createPublicFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, 0o755);
}

/** Writes files that everybody may read below `root`, with the folders they need. */
export async function writePublicFiles(root: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const names = path.split("/");
    const name = names.pop() ?? "";
    let folder = root;
    for (const segment of names) {
      folder = join(folder, segment);
      await createPublicFolder(folder);
    }
    if (name === "") continue;
    const file = join(folder, name);
    await writeFile(file, content);
    await chmod(file, 0o644);
  }
}
