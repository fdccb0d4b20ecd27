import { installCommand, serverNames, type ServerName } from "./catalogue.ts";
import { extractServers } from "./extract.ts";
import { extractionFolder, installedProgram } from "./folders.ts";
import { locateServer } from "./locate.ts";

/** Whether a server can be started here, and if not, why and what to do. */
export interface ServerAvailability {
  readonly name: ServerName;
  readonly available: boolean;
  /** Why it is not available; empty when it is. */
  readonly reason: string;
  /** The command by which a person gets it. */
  readonly howToGet: string;
}

const extractionTools = ["apt-get", "dpkg-deb"];

/**
 * Makes servers available: uses those of the machine, and extracts the packages of the others below `.servers/`
 * where apt is at hand. Nothing is installed, nothing is started, nothing outside `folder` is changed.
 *
 * Never throws for a server it cannot get: that is in the answer. The first call fetches some 105 MB, of which the browser is 90; later calls
 * look only whether the files are there.
 */
export async function prepareServers(
  names: readonly ServerName[] = serverNames,
  folder: string = extractionFolder,
): Promise<ServerAvailability[]> {
  const absent = names.filter((name) => locateServer(name, folder).missing.length > 0);
  const failures = await fetchServers(absent, folder);
  return names.map((name) => {
    const { missing } = locateServer(name, folder);
    return {
      name,
      available: missing.length === 0,
      reason: missing.length === 0 ? "" : (failures.get(name) ?? `no ${missing.join(", no ")}`),
      howToGet: installCommand(name),
    };
  });
}

async function fetchServers(
  names: readonly ServerName[],
  folder: string,
): Promise<ReadonlyMap<ServerName, string>> {
  const lackingTool = extractionTools.find((tool) => installedProgram(tool) === undefined);
  if (names.length === 0) return new Map();
  if (lackingTool !== undefined) {
    return new Map(names.map((name) => [name, `not installed, and there is no ${lackingTool} to get it`]));
  }
  try {
    return await extractServers(names, folder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return new Map(names.map((name) => [name, reason]));
  }
}
