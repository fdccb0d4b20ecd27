import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DaemonCommand } from "../daemon/daemon.ts";
import { launchServer, type Place } from "../daemon/launch.ts";
import { requireServer, type CompleteServer } from "../programs/locate.ts";
import type { RunningServer } from "../running-server.ts";
import type { Files } from "../throwaway-directory.ts";
import { sampleTree } from "./sample-tree.ts";
import { mimeTypes, pygopherdSettings } from "./settings.ts";

/** Options of pygopherd, which supports only IPv4. */
export interface PygopherdOptions {
  /** Files in addition to those of the sample tree. */
  readonly files?: Files;
}

/**
 * Starts pygopherd, a server of Gopher+, on a free loopback port.
 *
 * @throws Error when it is not on this machine or does not start.
 */
export async function startPygopherd({ files = {} }: PygopherdOptions = {}): Promise<RunningServer> {
  const program = requireServer("pygopherd");
  const { server } = await launchServer({
    name: "pygopherd",
    address: "127.0.0.1",
    files: { ...sampleTree, ...files },
    prepare: (place) => prepare(program, place),
    // pygopherd logs this text after it has begun to listen.
    isReady: (_place, daemon) => Promise.resolve(daemon.output().includes("Running.")),
  });
  return server;
}

async function prepare(program: CompleteServer, place: Place): Promise<DaemonCommand> {
  const settingsFile = join(place.directory, "pygopherd.conf");
  const mimeTypesFile = join(place.directory, "mime.types");
  await writeFile(mimeTypesFile, mimeTypes);
  await writeFile(settingsFile, pygopherdSettings(place, mimeTypesFile));
  return {
    program: program.path("python3"),
    args: [program.path("pygopherd"), settingsFile],
    environment: {
      ...program.environment,
      PYTHONUNBUFFERED: "1",
      PYTHONDONTWRITEBYTECODE: "1",
      PYTHONPATH: dirname(dirname(program.path(packageFile))),
    },
  };
}

/** The path of the program's package in the catalogue. */
const packageFile = "python3/dist-packages/pygopherd/server.py";
