import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Returns the path of the configuration file, or `undefined` for a user without a home folder. Ignores relative paths
 * of folders: the configuration file names modules that the command executes, and another user may own the working
 * directory. XDG Base Directory Specification: "All paths set in these environment variables must be absolute".
 */
export function findConfigFile(
  { XDG_CONFIG_HOME: folder = "" }: NodeJS.ProcessEnv,
  getHomeFolder: () => string = homedir,
): string | undefined {
  if (isAbsolute(folder)) return join(folder, "anyscheme", "config.json");
  const home = tryGetHomeFolder(getHomeFolder);
  return isAbsolute(home) ? join(home, ".config", "anyscheme", "config.json") : undefined;
}

/** Returns an empty text for a user whom the system does not know and who has no variable `HOME`. */
function tryGetHomeFolder(getHomeFolder: () => string): string {
  try {
    return getHomeFolder();
  } catch {
    return "";
  }
}
