import { extname } from "node:path";
import { isUtf8 } from "node:buffer";
import type { TreeNode } from "./file-tree.ts";

/** Suffix → item type (RFC 1436 §3.8; `h` and `s` by custom). */
const typesBySuffix: Readonly<Record<string, string>> = {
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

/** The types whose items are sent as text, which ends with a lone dot. */
export const textItemTypes: ReadonlySet<string> = new Set(["0", "4", "6"]);

/** Returns the item type of a node, from its suffix, or else from its content (text or binary). */
export function findGopherItemType(path: string, node: TreeNode): string {
  if (node.kind === "folder") return "1";
  const bySuffix = typesBySuffix[extname(path).toLowerCase()];
  return bySuffix ?? (isUtf8(node.content) && !node.content.includes(0) ? "0" : "9");
}
