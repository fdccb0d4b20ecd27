import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DaemonCommand } from "../daemon/daemon.ts";
import { launchServer, type Place } from "../daemon/launch.ts";
import type { LoopbackAddress } from "../loopback.ts";
import { requireServer, type CompleteServer } from "../programs/locate.ts";
import type { RunningServer } from "../running-server.ts";
import type { Files } from "../throwaway-directory.ts";
import { makeSearchExecutable, sampleHole } from "./sample-hole.ts";

/** How to start gophernicus. */
export interface GophernicusOptions {
  /** Default `127.0.0.1`. */
  readonly address?: LoopbackAddress;
  /** Files besides the sample hole's. */
  readonly files?: Files;
}

/** No check for root, virtual hosts, personal holes, syslog, shared memory or status page. */
const switches = ["-nr", "-nv", "-nu", "-ns", "-nm", "-nt"];

/**
 * Starts gophernicus on a free loopback port: socat listens and runs one process for each connection.
 *
 * @throws Error when it is not on this machine or does not start.
 */
export async function startGophernicus({
  address = "127.0.0.1",
  files = {},
}: GophernicusOptions = {}): Promise<RunningServer> {
  const program = requireServer("gophernicus");
  const { server } = await launchServer({
    name: "gophernicus",
    address,
    files: { ...sampleHole, ...files },
    prepare: (place) => prepare(program, place),
    // socat's own word; whoever answers on the port might be another server.
    isReady: (_place, daemon) => Promise.resolve(daemon.output().includes("listening on")),
  });
  return server;
}

async function prepare(program: CompleteServer, place: Place): Promise<DaemonCommand> {
  const { address, directory, root, port } = place;
  await makeSearchExecutable(root);
  const listen =
    address === "::1" ? `TCP6-LISTEN:${port},bind=[${address}]` : `TCP4-LISTEN:${port},bind=${address}`;
  // In socat's addresses commas, colons and spaces have a meaning, so the paths go into a script with a plain name.
  const gophernicus = [
    program.path("gophernicus"),
    "-h",
    "localhost",
    "-p",
    String(port),
    "-r",
    root,
    ...switches,
  ];
  await writeFile(join(directory, "session"), `#!/bin/sh\nexec ${gophernicus.map(quote).join(" ")}\n`, {
    mode: 0o755,
  });
  return {
    program: program.path("socat"),
    args: ["-d", "-d", `${listen},fork,reuseaddr`, "EXEC:./session,nofork"],
    environment: program.environment,
  };
}

function quote(argument: string): string {
  return `'${argument.replaceAll("'", "'\\''")}'`;
}
