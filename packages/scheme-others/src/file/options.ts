import { type OptionTable, stringKind } from "@anyscheme/core/plugin";

/** Options of the scheme file. */
export interface FileOptions {
  /** The directory that `/` refers to in file URLs. Default: none, and every request fails with `permission-denied`. */
  readonly root?: string | undefined;
  /** The platform whose rules for file names apply. Default: the current platform. */
  readonly platform?: NodeJS.Platform | undefined;
}

export const FILE_OPTION_KINDS: OptionTable<FileOptions> = { root: stringKind, platform: stringKind };
