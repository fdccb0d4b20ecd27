import { extname } from "node:path";
import { isUtf8 } from "node:buffer";
import type { FileTreeNode } from "./file-tree.ts";

/** The item types by file suffix (RFC 1436 §3.8; `h` and `s` are common extensions). */
const itemTypesBySuffix: Readonly<Record<string, string>> = {
  ".txt": "0",
  ".md": "0",
  ".hqx": "4",
  ".zip": "5",
  ".uue": "6",
  ".gif": "g",
  ".jpg": "I",
  ".png": "I",
  ".html": "h",
  ".wav": "s",
};

/** The item types that the Gopher test server sends as text. A line with one dot ends a text of the Gopher server. */
export const textItemTypes: ReadonlySet<string> = new Set(["0", "4", "6"]);

/** Returns the item type of a file by its suffix, or by its content for an unknown suffix. */
export function guessGopherItemType(path: string, node: FileTreeNode): string {
  if (node.kind === "folder") return "1";
  const bySuffix = itemTypesBySuffix[extname(path).toLowerCase()];
  return bySuffix ?? (isUtf8(node.content) && !node.content.includes(0) ? "0" : "9");
}
