import { locateServerProgramFiles } from "../programs/locate-server.ts";

/** The path of lftp, and the environment variables that lftp needs. */
export interface LftpProgram {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Returns the path and the environment of lftp, or undefined when lftp is missing. */
export function locateLftp(): LftpProgram | undefined {
  const { paths, environment } = locateServerProgramFiles("lftp");
  const path = paths.get("lftp");
  return path === undefined ? undefined : { path, environment };
}
