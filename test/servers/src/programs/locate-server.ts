import { delimiter, join } from "node:path";
import { formatInstallCommand, serverCatalogue, type ServerName } from "./server-catalogue.ts";
import {
  findExtractedModule,
  findExtractedProgram,
  extractionFolder,
  findInstalledModule,
  findInstalledProgram,
  listLibraryFolders,
} from "./find-program-files.ts";
import { isExtractionCurrent } from "./extraction-stamp.ts";

/** The files of one server, installed or extracted. */
export interface ServerFiles {
  /** Name in the catalogue → absolute path, for programs and modules. */
  readonly paths: ReadonlyMap<string, string>;
  /** Names in the catalogue that were not found on this machine. */
  readonly missing: readonly string[];
  /** Environment variables for the programs: the paths of extracted libraries, if any file was extracted. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Finds a server among installed programs, then in the extracted packages. Starts and changes nothing. */
export function locateServer(name: ServerName, folder: string = extractionFolder): ServerFiles {
  const { programs, modules } = serverCatalogue[name];
  const extracted = join(folder, name);
  const usable = isExtractionCurrent(name, extracted);
  const found = [
    ...programs.map((program) => ({
      name: program,
      path: findInstalledProgram(program) ?? (usable ? findExtractedProgram(extracted, program) : undefined),
    })),
    ...modules.map((module) => ({
      name: module,
      path: findInstalledModule(module) ?? (usable ? findExtractedModule(extracted, module) : undefined),
    })),
  ];
  const paths = new Map(found.flatMap(({ name: key, path }) => (path === undefined ? [] : [[key, path]])));
  return {
    paths,
    missing: found.filter(({ path }) => path === undefined).map(({ name: key }) => key),
    environment: [...paths.values()].some((path) => path.startsWith(extracted))
      ? { LD_LIBRARY_PATH: listLibraryFolders(extracted).join(delimiter) }
      : {},
  };
}

/** A complete server, for which every lookup returns a path. */
export interface CompleteServer {
  readonly environment: Readonly<Record<string, string>>;
  /** Returns the absolute path of a program or module in the catalogue. */
  path(name: string): string;
}

/**
 * Returns the files of a complete server.
 *
 * @throws Error when a file is missing. Its message has the command that installs the server.
 */
export function requireServer(name: ServerName): CompleteServer {
  const { paths, missing, environment } = locateServer(name);
  if (missing.length > 0) {
    throw new Error(
      `${name} is not on this machine (no ${missing.join(", no ")}): call prepareServers(), or ${formatInstallCommand(name)}`,
    );
  }
  return {
    environment,
    path(key) {
      const path = paths.get(key);
      if (path === undefined) throw new Error(`the catalogue's row of ${name} does not name ${key}`);
      return path;
    },
  };
}
