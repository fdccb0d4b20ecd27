import { AccessError } from "@anyscheme/core";
import { percentDecode } from "@anyscheme/core/syntax";
import type { FtpUrl } from "./syntax.ts";

/** The file or directory that an operation changes. A URL that ends with "/" names its last directory. */
export interface FtpTarget {
  readonly directories: readonly Uint8Array[];
  /** `undefined` for the login directory. */
  readonly name: Uint8Array | undefined;
  readonly isDirectory: boolean;
}

export function parseTarget(url: FtpUrl): FtpTarget {
  const directories = url.cwd.map((segment) => percentDecode(segment));
  const name = percentDecode(url.name ?? "");
  if (name.length > 0) return { directories, name, isDirectory: false };
  return { directories: directories.slice(0, -1), name: directories.at(-1), isDirectory: true };
}

/** Returns the name of the target. Throws `unsupported` for the login directory. */
export function requireName({ name }: FtpTarget): Uint8Array {
  if (name) return name;
  throw new AccessError("unsupported", "the URL names only the login directory");
}
