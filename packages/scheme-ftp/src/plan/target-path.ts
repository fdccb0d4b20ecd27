import { AccessError } from "@anyscheme/core";
import { percentDecode } from "@anyscheme/core/syntax";
import type { FtpUrl } from "../syntax.ts";

/**
 * The file or directory that an FTP operation changes or describes. A URL that ends with "/" names its last directory.
 */
export interface FtpTargetPath {
  readonly directories: readonly Uint8Array[];
  /** The last name in the path of the FTP URL; `undefined` for the login directory. */
  readonly name: Uint8Array | undefined;
  readonly isDirectory: boolean;
}

/** Splits the path of a URL into the directories that CWD reaches, and the name in the last of them. */
export function parseFtpTargetPath(url: FtpUrl): FtpTargetPath {
  const directories = url.cwd.map((segment) => percentDecode(segment));
  const name = percentDecode(url.name ?? "");
  if (name.length > 0) return { directories, name, isDirectory: false };
  return { directories: directories.slice(0, -1), name: directories.at(-1), isDirectory: true };
}

/**
 * Returns the name of the file or directory that the operation changes. Throws `unsupported` if the FTP URL names only
 * the login directory.
 */
export function getNameUnlessLoginDirectory({ name }: FtpTargetPath): Uint8Array {
  if (name) return name;
  throw new AccessError("unsupported", "the URL names only the login directory");
}
