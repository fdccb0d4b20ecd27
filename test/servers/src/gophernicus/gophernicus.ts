import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DaemonCommand } from "../daemon/daemon.ts";
import { launchServer, type LaunchDirectoryAndPorts } from "../daemon/launch-server.ts";
import type { LoopbackAddress } from "../loopback.ts";
import { requireServerProgramFiles, type LocatedServerProgramFiles } from "../programs/locate-server.ts";
import type { RunningServer } from "../running-server.ts";
import type { ServedFiles } from "../temporary-directory.ts";
import { makeSearchScriptExecutable, sampleGopherHole } from "./sample-gopherhole.ts";

/** Options of gophernicus. */
export interface GophernicusOptions {
  /** The address on which gophernicus listens. Default `127.0.0.1`. */
  readonly address?: LoopbackAddress;
  /** Files that the server serves in addition to the sample files. */
  readonly files?: ServedFiles;
}

/**
 * The options disable the root check, virtual hosts, personal directories, syslog, shared memory and the
 * status page.
 */
const gophernicusFlags = ["-nr", "-nv", "-nu", "-ns", "-nm", "-nt"];

/**
 * Starts gophernicus on a free loopback port: socat listens and runs one process per connection.
 *
 * @throws Error when gophernicus or socat is missing or does not start.
 */
export async function startGophernicus({
  address = "127.0.0.1",
  files = {},
}: GophernicusOptions = {}): Promise<RunningServer> {
  const program = requireServerProgramFiles("gophernicus");
  const { server } = await launchServer({
    name: "gophernicus",
    address,
    documentRootFiles: { ...sampleGopherHole, ...files },
    prepare: (attempt) => prepareGophernicus(program, attempt),
    // The readiness check reads the log of socat, since a different server might respond on the port.
    isReady: (_place, daemon) => Promise.resolve(daemon.output().includes("listening on")),
  });
  return server;
}

async function prepareGophernicus(
  program: LocatedServerProgramFiles,
  attempt: LaunchDirectoryAndPorts,
): Promise<DaemonCommand> {
  const { address, directory, documentRoot: root, port } = attempt;
  await makeSearchScriptExecutable(root);
  const listen =
    address === "::1" ? `TCP6-LISTEN:${port},bind=[${address}]` : `TCP4-LISTEN:${port},bind=${address}`;
  // socat interprets commas, colons and spaces in its arguments, so the command with paths is in a script
  // with a plain name.
  const gophernicus = [
    program.path("gophernicus"),
    "-h",
    "localhost",
    "-p",
    String(port),
    "-r",
    root,
    ...gophernicusFlags,
  ];
  await writeFile(
    join(directory, "session"),
    `#!/bin/sh\nexec ${gophernicus.map(quoteForShell).join(" ")}\n`,
    {
      mode: 0o755,
    },
  );
  return {
    program: program.path("socat"),
    args: ["-d", "-d", `${listen},fork,reuseaddr`, "EXEC:./session,nofork"],
    environment: program.environment,
  };
}

function quoteForShell(argument: string): string {
  return `'${argument.replaceAll("'", "'\\''")}'`;
}
