import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DaemonCommand } from "../daemon/daemon.ts";
import { launchServer, type LaunchDirectoryAndPorts } from "../daemon/launch-server.ts";
import { waitForLogEntries } from "../daemon/read-log-file.ts";
import type { TestProgramName } from "../programs/server-dependencies.ts";
import { type LocatedServerProgramFiles, requireServerProgramFiles } from "../programs/locate-server.ts";
import type { RunningServer } from "../running-server.ts";
import { fakeLoginProgramScript } from "./fake-login-program-script.ts";

/** A running telnetd. */
export interface TelnetdServer extends RunningServer {
  /**
   * Returns the user names and passwords that the Telnet server has received so far. The function waits at most 2 s for
   * the first login of a Telnet client.
   */
  receivedLogins(): Promise<(readonly [user: string, password: string])[]>;
}

/** Starts telnetd of GNU inetutils on a free loopback port. See {@link startBusyboxTelnetd}. */
export function startInetutilsTelnetd(): Promise<TelnetdServer> {
  return launchTelnetd("telnetd", (program, login) => `'${program.path("telnetd")}' -h -E '${login}'`);
}

/**
 * Starts telnetd of busybox on a free loopback port, with a test dialogue instead of login(1). socat listens
 * and runs one process per connection.
 *
 * @throws Error when telnetd or socat is missing or does not start.
 */
export function startBusyboxTelnetd(): Promise<TelnetdServer> {
  return launchTelnetd(
    "busybox",
    (program, login) => `'${program.path("busybox")}' telnetd -i -l '${login}'`,
  );
}

type TelnetdCommandLine = (program: LocatedServerProgramFiles, login: string) => string;

async function launchTelnetd(name: TestProgramName, command: TelnetdCommandLine): Promise<TelnetdServer> {
  const program = requireServerProgramFiles(name);
  const { server } = await launchServer({
    name,
    address: "127.0.0.1",
    documentRootFiles: {},
    prepare: (attempt) => prepareTelnetd(program, command, attempt),
    isReady: (_place, daemon) => Promise.resolve(daemon.output().includes("listening on")),
  });
  const seen = join(server.directory, "seen");
  return { ...server, receivedLogins: () => waitForLogEntries(seen, parseLogins, 1) };
}

async function prepareTelnetd(
  program: LocatedServerProgramFiles,
  command: TelnetdCommandLine,
  { address, directory, port }: LaunchDirectoryAndPorts,
): Promise<DaemonCommand> {
  const login = join(directory, "login");
  await writeFile(login, fakeLoginProgramScript, { mode: 0o755 });
  // socat interprets commas, colons and spaces in its arguments, so the command with paths is in a script
  // with a plain name.
  const session = `#!/bin/sh\nexec ${command(program, login)}\n`;
  await writeFile(join(directory, "session"), session, { mode: 0o755 });
  return {
    program: program.path("socat"),
    args: ["-d", "-d", `TCP4-LISTEN:${port},bind=${address},fork,reuseaddr`, "EXEC:./session,nofork"],
    environment: program.environment,
  };
}

function parseLogins(text: string): (readonly [user: string, password: string])[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [user = "", password = ""] = line.split("\t");
      return [user, password] as const;
    });
}
