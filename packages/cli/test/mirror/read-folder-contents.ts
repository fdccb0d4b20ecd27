import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the contents of all files in a folder tree, decoded as Latin-1. */
export function readFolderContents(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true }) as string[];
  const found = names.filter((name) => lstatSync(join(folder, name)).isFile()).toSorted();
  return Object.fromEntries(found.map((name) => [name, readFileSync(join(folder, name), "latin1")]));
}
