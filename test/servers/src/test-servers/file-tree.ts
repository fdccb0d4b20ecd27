import type { ServedFiles } from "../temporary-directory.ts";

/** A file or a folder in a file tree in memory. */
export type FileTreeNode =
  | { readonly kind: "file"; readonly content: Buffer }
  | { readonly kind: "folder"; readonly childNames: readonly string[] };

/** A tree of files in memory, by absolute path. */
export interface ServedFileTree {
  /** Returns the file or folder at an absolute path, or undefined. */
  findNode(path: string): FileTreeNode | undefined;
  /** The absolute paths of all files and folders except the root. Folders precede their contents. */
  readonly paths: readonly string[];
}

/** Creates a file tree, with the parent folders of the files. */
export function createInMemoryFileTree(files: ServedFiles): ServedFileTree {
  const contents = new Map<string, Buffer>();
  const folders = new Map<string, Set<string>>([["/", new Set()]]);
  for (const [key, content] of Object.entries(files)) {
    const path = resolvePath("/", key);
    const isFolder = key.endsWith("/");
    addToParentFolders(path, folders);
    if (isFolder && !folders.has(path)) folders.set(path, new Set());
    if (!isFolder) contents.set(path, Buffer.from(content));
  }
  return {
    paths: [...contents.keys(), ...folders.keys()].filter((path) => path !== "/").toSorted(),
    findNode(path) {
      const content = contents.get(path);
      if (content !== undefined) return { kind: "file", content };
      const names = folders.get(path);
      return names === undefined ? undefined : { kind: "folder", childNames: [...names].toSorted() };
    },
  };
}

function addToParentFolders(path: string, folders: Map<string, Set<string>>): void {
  let parent = "/";
  for (const name of path.split("/").slice(1)) {
    const names = folders.get(parent) ?? new Set<string>();
    folders.set(parent, names.add(name));
    parent = joinPath(parent, name);
  }
}

/** Returns the path of the file `name` in the folder `parent`. */
export function joinPath(parent: string, name: string): string {
  return parent === "/" ? `/${name}` : `${parent}/${name}`;
}

/**
 * Resolves `path` in `folder` to an absolute path. Empty segments of the path and `.` are ignored, and `..` stops at
 * the root.
 */
export function resolvePath(folder: string, path: string): string {
  const segments: string[] = [];
  for (const segment of `${path.startsWith("/") ? "" : folder}/${path}`.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}
