import { booleanOptionKind, type OptionTable, stringOptionKind } from "@anyscheme/core/plugin";

/** Options of the scheme file. */
export interface FileOptions {
  /**
   * The directory that `/` refers to in file URLs. Default: no root, so that every request fails with
   * `permission-denied`.
   */
  readonly root?: string | undefined;
  /** The platform whose rules for file names apply. Default: the current platform. */
  readonly platform?: NodeJS.Platform | undefined;
  /**
   * True to store files in the cache of the client. The client opens each file and checks its root, size, times and
   * inode before it reads the stored copy. A stored copy is useful for a slow or removable file system. Default false.
   */
  readonly cache?: boolean | undefined;
}

export const FILE_SCHEME_OPTION_KINDS: OptionTable<FileOptions> = {
  root: stringOptionKind,
  platform: stringOptionKind,
  cache: booleanOptionKind,
};
