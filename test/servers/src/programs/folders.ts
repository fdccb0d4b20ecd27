import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where extracted packages live: `.servers/` beside the workspace's package.json, the same from `src` and `dist`. */
export const extractionFolder: string = fileURLToPath(new URL("../../../../.servers/", import.meta.url));

const programFolders = ["usr/local/sbin", "usr/local/bin", "usr/sbin", "usr/bin", "sbin", "bin"];
const libraryParents = ["usr/lib", "usr/lib64", "lib", "lib64"];

/** The library folders below `root`, with Debian's one folder per architecture among them. */
export function libraryFolders(root: string): string[] {
  const parents = libraryParents.map((parent) => join(root, parent)).filter((parent) => existsSync(parent));
  return parents.concat(parents.flatMap(architectureFolders));
}

function architectureFolders(parent: string): string[] {
  return readdirSync(parent)
    .filter((entry) => /-linux-(gnu|musl)/.test(entry))
    .map((entry) => join(parent, entry));
}

/** The first file `name` in one of `folders`, or undefined. */
function firstIn(folders: readonly string[], name: string): string | undefined {
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** A program of the machine itself: `PATH` first, then the `sbin` folders that `PATH` of a normal user lacks. */
export function installedProgram(name: string): string | undefined {
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder.startsWith("/"));
  return firstIn([...path, ...programFolders.map((folder) => `/${folder}`)], name);
}

/** A loadable module of the machine itself. */
export function installedModule(name: string): string | undefined {
  return firstIn(libraryFolders("/"), name);
}

/** A program below the folder where packages were extracted. */
export function extractedProgram(root: string, name: string): string | undefined {
  return firstIn(
    programFolders.map((folder) => join(root, folder)),
    name,
  );
}

/** A loadable module below the folder where packages were extracted. */
export function extractedModule(root: string, name: string): string | undefined {
  return firstIn(libraryFolders(root), name);
}
