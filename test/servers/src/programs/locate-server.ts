import { delimiter, join } from "node:path";
import {
  formatServerInstallCommand,
  dependenciesByExternalProgram,
  type TestProgramName,
} from "./server-dependencies.ts";
import {
  findExtractedLibraryFile,
  findExtractedProgram,
  extractedDebianPackagesFolder,
  findInstalledLibraryFile,
  findInstalledProgram,
  listSharedLibraryFolders,
} from "./find-program-files.ts";
import { isExtractedServerCurrent } from "./extracted-server-stamp.ts";

/** The paths of a server's programs and modules, installed or extracted. */
export interface ServerProgramFiles {
  /** The absolute paths of programs and modules, by their names in server-dependencies.ts. */
  readonly paths: ReadonlyMap<string, string>;
  /** The names of programs and modules in server-dependencies.ts that are missing on this machine. */
  readonly missingNames: readonly string[];
  /**
   * The environment variables that the programs need: the paths of extracted libraries, if a file was
   * extracted.
   */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Finds the files of a server among the installed programs, then in the extracted packages. The search for the server's
 * files starts no program and changes no file.
 */
export function locateServerProgramFiles(
  name: TestProgramName,
  folder: string = extractedDebianPackagesFolder,
): ServerProgramFiles {
  const { programs, modules } = dependenciesByExternalProgram[name];
  const extracted = join(folder, name);
  const usable = isExtractedServerCurrent(name, extracted);
  const found = [
    ...programs.map((program) => ({
      name: program,
      path: findInstalledProgram(program) ?? (usable ? findExtractedProgram(extracted, program) : undefined),
    })),
    ...modules.map((module) => ({
      name: module,
      path:
        findInstalledLibraryFile(module) ??
        (usable ? findExtractedLibraryFile(extracted, module) : undefined),
    })),
  ];
  const paths = new Map(found.flatMap(({ name: key, path }) => (path === undefined ? [] : [[key, path]])));
  return {
    paths,
    missingNames: found.filter(({ path }) => path === undefined).map(({ name: key }) => key),
    environment: [...paths.values()].some((path) => path.startsWith(extracted))
      ? { LD_LIBRARY_PATH: listSharedLibraryFolders(extracted).join(delimiter) }
      : {},
  };
}

/** The program files of a test server, none of which is missing. */
export interface LocatedServerProgramFiles {
  readonly environment: Readonly<Record<string, string>>;
  /** Returns the absolute path of a program or module that server-dependencies.ts lists for this server. */
  path(name: string): string;
}

/**
 * Returns the files of a complete server.
 *
 * @throws Error when a program or module of the server is missing on this machine. The error message contains the
 * command that installs the server.
 */
export function requireServerProgramFiles(name: TestProgramName): LocatedServerProgramFiles {
  const { paths, missingNames: missing, environment } = locateServerProgramFiles(name);
  if (missing.length > 0) {
    throw new Error(
      `${name} is not on this machine (no ${missing.join(", no ")}): call downloadMissingServers(), or ${formatServerInstallCommand(name)}`,
    );
  }
  return {
    environment,
    path(key) {
      const path = paths.get(key);
      if (path === undefined)
        throw new Error(`server-dependencies.ts lists no program or module ${key} for ${name}`);
      return path;
    },
  };
}
