import { joinPath, type ServedFileTree, type FileTreeNode } from "../file-tree.ts";

/** One entry of an FTP listing. */
export interface FtpListingEntry {
  readonly name: string;
  readonly node: FileTreeNode;
}

const monthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Returns the entries of an FTP listing of a folder. For a file, returns the file as the only entry. */
export function listServedFtpEntries(tree: ServedFileTree, path: string): FtpListingEntry[] {
  const node = tree.findNode(path);
  if (node === undefined) return [];
  if (node.kind === "file") return [{ name: path.slice(path.lastIndexOf("/") + 1), node }];
  return node.childNames.flatMap((name) => {
    const child = tree.findNode(joinPath(path, name));
    return child === undefined ? [] : [{ name, node: child }];
  });
}

/** Formats a time as in RFC 3659 §2.3, without a fraction of a second. */
export function formatFtpTimeVal(date: Date): string {
  return date.toISOString().replace(/\D/g, "").slice(0, 14);
}

/**
 * Returns a listing line in the format of `ls -l`. RFC 959 does not define a format of LIST, but clients expect the
 * format of `ls -l`.
 */
export function formatLongListingLine({ name, node }: FtpListingEntry, modified: Date): string {
  const mode = node.kind === "folder" ? "drwxr-xr-x" : "-rw-r--r--";
  const size = node.kind === "folder" ? 0 : node.content.length;
  const month = monthNames[modified.getUTCMonth()] ?? "Jan";
  const day = String(modified.getUTCDate()).padStart(2);
  const owner = "1 ftp      ftp     ";
  return `${mode}    ${owner} ${String(size).padStart(8)} ${month} ${day}  ${modified.getUTCFullYear()} ${name}`;
}

/** Returns a listing line of RFC 3659 §7.2: facts, a space, and the name. */
export function formatFactsListingLine({ name, node }: FtpListingEntry, modified: Date): string {
  const facts =
    node.kind === "folder"
      ? ["type=dir", `modify=${formatFtpTimeVal(modified)}`, "perm=el"]
      : ["type=file", `size=${node.content.length}`, `modify=${formatFtpTimeVal(modified)}`, "perm=r"];
  return `${facts.join(";")}; ${name}`;
}
