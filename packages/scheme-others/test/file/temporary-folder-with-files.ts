import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A temporary directory with files for a test. */
export interface RemovableTestFolder {
  readonly root: string;
  remove(): Promise<void>;
}

/** Creates a temporary directory with the given files. */
export async function createTemporaryFolderWithFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<RemovableTestFolder> {
  const root = await mkdtemp(join(tmpdir(), "anyscheme-"));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}
