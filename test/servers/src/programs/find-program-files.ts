import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder with the extracted Debian packages of servers, `.servers/` in the root of the repository. */
export const extractedDebianPackagesFolder: string = fileURLToPath(
  new URL("../../../../.servers/", import.meta.url),
);

const programFolders = ["usr/local/sbin", "usr/local/bin", "usr/sbin", "usr/bin", "sbin", "bin"];
const libraryParentFolders = ["usr/lib", "usr/lib64", "lib", "lib64"];

/** Returns the library folders below `root`, including Debian's folder for the architecture. */
export function listSharedLibraryFolders(root: string): string[] {
  const parents = libraryParentFolders
    .map((parent) => join(root, parent))
    .filter((parent) => existsSync(parent));
  return parents.concat(parents.flatMap(listArchitectureFolders));
}

function listArchitectureFolders(parent: string): string[] {
  return readdirSync(parent)
    .filter((entry) => /-linux-(gnu|musl)/.test(entry))
    .map((entry) => join(parent, entry));
}

/** Returns the path of the first file `name` in `folders`, or undefined. */
function findFirstFile(folders: readonly string[], name: string): string | undefined {
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/**
 * Returns the path of an installed program in `PATH` or in an `sbin` folder, which `PATH` of a normal user
 * lacks.
 */
export function findInstalledProgram(name: string): string | undefined {
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder.startsWith("/"));
  return findFirstFile([...path, ...programFolders.map((folder) => `/${folder}`)], name);
}

/** Returns the path of an installed loadable module. */
export function findInstalledLibraryFile(name: string): string | undefined {
  return findFirstFile(listSharedLibraryFolders("/"), name);
}

/** Returns the path of a program below the folder of extracted packages. */
export function findExtractedProgram(root: string, name: string): string | undefined {
  return findFirstFile(
    programFolders.map((folder) => join(root, folder)),
    name,
  );
}

/** Returns the path of a loadable module below the folder of extracted packages. */
export function findExtractedLibraryFile(root: string, name: string): string | undefined {
  return findFirstFile(listSharedLibraryFolders(root), name);
}
