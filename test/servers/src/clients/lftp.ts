import { locateServer } from "../programs/locate-server.ts";

/** lftp, and the environment that it needs. */
export interface LftpProgram {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Returns lftp, or undefined where it is missing. */
export function locateLftp(): LftpProgram | undefined {
  const { paths, environment } = locateServer("lftp");
  const path = paths.get("lftp");
  return path === undefined ? undefined : { path, environment };
}
