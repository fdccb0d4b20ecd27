import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The contents of the files that a server serves, by path below the root. File contents that are strings are written in
 * UTF-8. A path that ends in `/` is a folder.
 */
export type ServedFiles = Readonly<Record<string, string | Uint8Array>>;

/** Creates a directory below the system's folder for temporary files. */
export async function createTemporaryDirectory(name: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `anyscheme-${name}-`));
  // A daemon without root privileges needs access to its document root.
  await chmod(directory, 0o711);
  return directory;
}

/** Removes the directory with its contents. */
export async function removeTemporaryDirectory(directory: string): Promise<void> {
  // The removal is retried, since a killed session may still write its log.
  await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
}

/** Creates a folder that all users may read, regardless of the umask. */
export async function createWorldReadableFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, 0o755);
}

/**
 * Writes files below `root` that all users may read. The function also creates the parent folders of the written files.
 */
export async function writeWorldReadableFiles(root: string, files: ServedFiles): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const names = path.split("/");
    const name = names.pop() ?? "";
    let folder = root;
    for (const segment of names) {
      folder = join(folder, segment);
      await createWorldReadableFolder(folder);
    }
    if (name === "") continue;
    const file = join(folder, name);
    await writeFile(file, content);
    await chmod(file, 0o644);
  }
}
