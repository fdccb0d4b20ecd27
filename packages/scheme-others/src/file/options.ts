import { optionKinds as kind, type OptionTable } from "@anyscheme/core/plugin";

export interface FileOptions {
  /** The folder that file URLs are read from, as in `/` of the URL. Without it every access is refused: the scheme is off. */
  readonly root?: string | undefined;
  /** Whose rules names have to follow. Default: this system's. */
  readonly platform?: NodeJS.Platform | undefined;
}

export const FILE_OPTIONS: OptionTable<FileOptions> = { root: kind.string, platform: kind.string };
