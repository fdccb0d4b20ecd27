import { locateServer } from "../programs/locate.ts";

/** A client to compare with, and the environment that it needs. */
export interface LftpProgram {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** lftp, where it is on this machine. */
export function lftpProgram(): LftpProgram | undefined {
  const { paths, environment } = locateServer("lftp");
  const path = paths.get("lftp");
  return path === undefined ? undefined : { path, environment };
}
