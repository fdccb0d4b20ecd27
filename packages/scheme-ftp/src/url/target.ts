import { AccessError } from "@anyscheme/core";
import { percentDecode } from "@anyscheme/core/syntax";
import type { FtpUrl } from "./syntax.ts";

/** What an operation works on: a name in a directory; for a URL that ends with "/", the last directory. */
export interface FtpTarget {
  readonly directories: readonly Uint8Array[];
  /** `undefined` is the directory after the login, which has no name. */
  readonly name: Uint8Array | undefined;
  readonly isDirectory: boolean;
}

/** What the operation on this URL works on. */
export function parseTarget(url: FtpUrl): FtpTarget {
  const directories = url.cwd.map((segment) => percentDecode(segment));
  const name = percentDecode(url.name ?? "");
  if (name.length > 0) return { directories, name, isDirectory: false };
  return { directories: directories.slice(0, -1), name: directories.at(-1), isDirectory: true };
}

/** Its name. Throws `unsupported` where there is none. */
export function requireName({ name }: FtpTarget): Uint8Array {
  if (name) return name;
  throw new AccessError("unsupported", "the URL names nothing but the directory after the login");
}
