import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** All files below a folder, with what they hold, one character a byte. */
export function treeOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true }) as string[];
  const found = names.filter((name) => lstatSync(join(folder, name)).isFile()).toSorted();
  return Object.fromEntries(found.map((name) => [name, readFileSync(join(folder, name), "latin1")]));
}
