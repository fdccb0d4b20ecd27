import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DaemonCommand } from "../daemon/daemon.ts";
import { launchServer, type LaunchDirectoryAndPorts } from "../daemon/launch-server.ts";
import { requireServerProgramFiles, type LocatedServerProgramFiles } from "../programs/locate-server.ts";
import type { RunningServer } from "../running-server.ts";
import type { ServedFiles } from "../temporary-directory.ts";
import { sampleGopherPlusTree } from "./sample-tree.ts";
import { pygopherdMimeTypesText, formatPygopherdConf } from "./pygopherd-config.ts";

/** Options of pygopherd. pygopherd supports only IPv4. */
export interface PygopherdOptions {
  /** Files that the server serves in addition to the sample files. */
  readonly files?: ServedFiles;
}

/**
 * Starts pygopherd, a server of Gopher+, on a free loopback port.
 *
 * @throws Error when pygopherd is missing or does not start.
 */
export async function startPygopherd({ files = {} }: PygopherdOptions = {}): Promise<RunningServer> {
  const program = requireServerProgramFiles("pygopherd");
  const { server } = await launchServer({
    name: "pygopherd",
    address: "127.0.0.1",
    documentRootFiles: { ...sampleGopherPlusTree, ...files },
    prepare: (attempt) => preparePygopherd(program, attempt),
    // pygopherd logs "Running." when its port is open.
    isReady: (_place, daemon) => Promise.resolve(daemon.output().includes("Running.")),
  });
  return server;
}

async function preparePygopherd(
  program: LocatedServerProgramFiles,
  attempt: LaunchDirectoryAndPorts,
): Promise<DaemonCommand> {
  const settingsFile = join(attempt.directory, "pygopherd.conf");
  const mimeTypesFile = join(attempt.directory, "mime.types");
  await writeFile(mimeTypesFile, pygopherdMimeTypesText);
  await writeFile(settingsFile, formatPygopherdConf(attempt, mimeTypesFile));
  return {
    program: program.path("python3"),
    args: [program.path("pygopherd"), settingsFile],
    environment: {
      ...program.environment,
      PYTHONUNBUFFERED: "1",
      PYTHONDONTWRITEBYTECODE: "1",
      PYTHONPATH: dirname(dirname(program.path(pygopherdModulePath))),
    },
  };
}

/** The path of pygopherd's Python module below `/usr/lib` of its Debian package. */
const pygopherdModulePath = "python3/dist-packages/pygopherd/server.py";
