import {
  formatServerInstallCommand,
  externalProgramNames,
  type TestProgramName,
} from "./server-dependencies.ts";
import { unpackServerPackages } from "./unpack-server-packages.ts";
import { extractedDebianPackagesFolder, findInstalledProgram } from "./find-program-files.ts";
import { locateServerProgramFiles } from "./locate-server.ts";

/** The availability of a server on this machine, and the command that installs it. */
export interface ServerAvailability {
  readonly name: TestProgramName;
  readonly available: boolean;
  /** The reason why the server is not available, or an empty text when it is available. */
  readonly reason: string;
  /** The command with which a user installs the server. */
  readonly installCommand: string;
}

const extractionTools = ["apt-get", "dpkg-deb"];

/**
 * Makes servers available: finds installed servers, and extracts the packages of missing servers below `.servers/` with
 * apt. The function neither installs nor starts a server, and changes only files in `folder`. The function does not
 * throw for a server that is not available, but reports that server in its result. The first call downloads about 105
 * MB, of which 90 MB are the browser. Later calls only check that the servers' files exist.
 */
export async function downloadMissingServers(
  names: readonly TestProgramName[] = externalProgramNames,
  folder: string = extractedDebianPackagesFolder,
): Promise<ServerAvailability[]> {
  const absent = names.filter((name) => locateServerProgramFiles(name, folder).missingNames.length > 0);
  const failures = await extractMissingServers(absent, folder);
  return names.map((name) => {
    const { missingNames: missing } = locateServerProgramFiles(name, folder);
    return {
      name,
      available: missing.length === 0,
      reason: missing.length === 0 ? "" : (failures.get(name) ?? `no ${missing.join(", no ")}`),
      installCommand: formatServerInstallCommand(name),
    };
  });
}

async function extractMissingServers(
  names: readonly TestProgramName[],
  folder: string,
): Promise<ReadonlyMap<TestProgramName, string>> {
  const lackingTool = extractionTools.find((tool) => findInstalledProgram(tool) === undefined);
  if (names.length === 0) return new Map();
  if (lackingTool !== undefined) {
    return new Map(
      names.map((name) => [name, `not installed, and the tests cannot unpack it without ${lackingTool}`]),
    );
  }
  try {
    return await unpackServerPackages(names, folder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return new Map(names.map((name) => [name, reason]));
  }
}
