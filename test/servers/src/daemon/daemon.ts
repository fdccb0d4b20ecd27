import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findInstalledProgram } from "../programs/find-program-files.ts";
import { listDescendantProcesses, killUnlessPidReused } from "./descendant-processes.ts";
import { pollUntilTrueOrTimeout } from "./poll-until.ts";

/** The command line and the environment of a program that runs in the foreground. */
export interface DaemonCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** A started daemon and its child processes. */
export interface Daemon {
  readonly pid: number;
  isRunning(): boolean;
  /** Returns the standard output and the standard error output of the daemon so far. */
  output(): string;
  /** Terminates the daemon and its children. After a grace period, kills the processes that still run. */
  stop(): Promise<void>;
}

const terminationGraceMs = 1500;

const runningDaemonPids = new Set<number>();

function terminateRunningDaemons(): void {
  for (const pid of runningDaemonPids) signalProcessGroup(pid, "SIGTERM");
}

/**
 * Starts a program as the leader of its own process group. `directory` is the working directory of the
 * program.
 */
export async function spawnDaemonProcess(command: DaemonCommand, directory: string): Promise<Daemon> {
  const outputFile = join(directory, "output.txt");
  const output = openSync(outputFile, "w+");
  const [program, ...args] = createDaemonCommandLine(command);
  // The standard input is the output file too, because inetd servers write errors to descriptor 0.
  const stdio = [output, output, output];
  const child = spawn(program, args, { cwd: directory, detached: true, stdio });
  closeSync(output);
  const pid = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("spawn", () => resolve(child.pid as number));
  });
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;

  if (runningDaemonPids.size === 0) process.on("exit", terminateRunningDaemons);
  runningDaemonPids.add(pid);
  child.once("exit", () => {
    signalProcessGroup(pid, "SIGKILL"); // children that outlived the leader
    runningDaemonPids.delete(pid);
    if (runningDaemonPids.size === 0) process.removeListener("exit", terminateRunningDaemons);
  });

  return {
    pid,
    isRunning,
    output: () => readFileSync(outputFile, "utf8"),
    async stop() {
      if (!isRunning()) return;
      const sessions = listDescendantProcesses(pid); // sessions of vsftpd leave the process group
      signalProcessGroup(pid, "SIGTERM");
      if (!(await pollUntilTrueOrTimeout(() => !isRunning(), terminationGraceMs))) {
        signalProcessGroup(pid, "SIGKILL");
        await pollUntilTrueOrTimeout(() => !isRunning(), terminationGraceMs);
      }
      sessions.forEach(killUnlessPidReused);
    },
  };
}

/**
 * Returns the command line that starts a daemon of the tests. On Linux with util-linux, the kernel terminates the
 * daemon when this process is killed. The environment is set by `env`, so that a preloaded library does not affect
 * `setpriv`.
 */
function createDaemonCommandLine({ program, args, environment }: DaemonCommand): [string, ...string[]] {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const setpriv = findInstalledProgram("setpriv");
  const tether: [string, ...string[]] =
    setpriv === undefined ? ["env"] : [setpriv, "--pdeathsig", "TERM", "--", "env"];
  return [...tether, ...variables, program, ...args];
}

function signalProcessGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    // Some systems report EPERM for a process group that contains only zombies.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
