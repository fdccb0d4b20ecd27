import { join } from "node:path";
import type { LoopbackAddress } from "../loopback.ts";
import type { TestProgramName } from "../programs/server-dependencies.ts";
import type { RunningServer } from "../running-server.ts";
import {
  createWorldReadableFolder,
  createTemporaryDirectory,
  removeTemporaryDirectory,
  writeWorldReadableFiles,
  type ServedFiles,
} from "../temporary-directory.ts";
import { spawnDaemonProcess, type Daemon, type DaemonCommand } from "./daemon.ts";
import { findFreePort, releasePort } from "./free-port.ts";
import { pollUntilTrueOrTimeout } from "./poll-until.ts";

/** The directory, the address and the ports of one attempt to start a server. */
export interface LaunchDirectoryAndPorts {
  readonly directory: string;
  readonly documentRoot: string;
  readonly address: LoopbackAddress;
  readonly port: number;
  /** A second free port, for servers that listen on two ports. */
  readonly secondPort: number;
}

/** The functions that prepare, check and clean up one kind of server. */
export interface LaunchSteps {
  readonly name: TestProgramName;
  readonly address: LoopbackAddress;
  /** The files that are written to the document root before the server starts. */
  readonly documentRootFiles: ServedFiles;
  /** Writes the server's configuration and returns the program to run. */
  prepare(attempt: LaunchDirectoryAndPorts): Promise<DaemonCommand>;
  /**
   * Returns true when the started server responds. This readiness check must return false when a different server uses
   * the port.
   */
  isReady(attempt: LaunchDirectoryAndPorts, daemon: Daemon): Promise<boolean>;
  /** Removes the stopped server's files outside its directory, and ends its helper processes. */
  cleanUp?(daemon: Daemon): Promise<void>;
}

/** A started server, and the attempt that started it. */
export interface LaunchedServer {
  readonly launchAttempt: LaunchDirectoryAndPorts;
  readonly server: RunningServer;
}

const maxLaunchAttempts = 5;
const serverReadyTimeoutMs = 10_000;
const portInUseMessage = /address already in use|could not bind/i;

/**
 * Starts a server on a free port. Retries on another port when a port is in use.
 *
 * @throws Error with the program's output when the program ends early, or is not ready within 10 s.
 */
export async function launchServer(launch: LaunchSteps): Promise<LaunchedServer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await launchServerOnce(launch);
    } catch (error) {
      const mayRetry = error instanceof Error && portInUseMessage.test(error.message);
      if (!mayRetry || attempt === maxLaunchAttempts) throw error;
    }
  }
}

async function launchServerOnce(launch: LaunchSteps): Promise<LaunchedServer> {
  const { name, address } = launch;
  const directory = await createTemporaryDirectory(name);
  const port = await findFreePort(address);
  const secondPort = await findFreePort(address);
  const attempt = { directory, documentRoot: join(directory, "root"), address, port, secondPort };
  let daemon: Daemon | undefined;

  const tearDown = async (): Promise<void> => {
    await daemon?.stop();
    if (daemon !== undefined) await launch.cleanUp?.(daemon);
    await removeTemporaryDirectory(directory);
    releasePort(port);
    releasePort(secondPort);
  };

  try {
    await createWorldReadableFolder(attempt.documentRoot);
    await writeWorldReadableFiles(attempt.documentRoot, launch.documentRootFiles);
    daemon = await spawnDaemonProcess(await launch.prepare(attempt), directory);
    await waitUntilReady(launch, attempt, daemon);
  } catch (error) {
    await tearDown();
    throw error;
  }

  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= tearDown());
  const { pid } = daemon;
  const server = {
    name,
    address,
    port,
    pid,
    directory,
    root: attempt.documentRoot,
    stop,
    [Symbol.asyncDispose]: stop,
  };
  return { launchAttempt: attempt, server };
}

async function waitUntilReady(
  launch: LaunchSteps,
  attempt: LaunchDirectoryAndPorts,
  daemon: Daemon,
): Promise<void> {
  const ready = await pollUntilTrueOrTimeout(async () => {
    const answered = await launch.isReady(attempt, daemon);
    if (daemon.isRunning()) return answered;
    throw new Error(`${launch.name} ended while it was starting: ${daemon.output().trim()}`);
  }, serverReadyTimeoutMs);
  if (!ready)
    throw new Error(
      `${launch.name} was not ready after ${serverReadyTimeoutMs} ms: ${daemon.output().trim()}`,
    );
}
