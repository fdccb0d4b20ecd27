import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { launchServer } from "../daemon/launch-server.ts";
import { readLog } from "../daemon/read-log-file.ts";
import { requireServerProgramFiles } from "../programs/locate-server.ts";
import type { RunningServer } from "../running-server.ts";

/** Options of tinyproxy and microsocks. */
export interface TestProxyServerOptions {
  /** The login that the proxy requires. Default: none. */
  readonly login?: { readonly user: string; readonly password: string };
}

export interface TinyproxyOptions extends TestProxyServerOptions {
  /** The only ports to which the proxy connects. Default: all ports. */
  readonly connectPorts?: readonly number[];
}

export interface TinyproxyServer extends RunningServer {
  /** Returns the request lines that the proxy has logged. */
  loggedRequests(): Promise<string[]>;
}

/**
 * Starts tinyproxy, an HTTP proxy, on a free loopback port.
 *
 * @throws Error when tinyproxy is missing or does not start.
 */
export async function startTinyproxy(options: TinyproxyOptions = {}): Promise<TinyproxyServer> {
  const program = requireServerProgramFiles("tinyproxy");
  const { launchAttempt, server } = await launchServer({
    name: "tinyproxy",
    address: "127.0.0.1",
    documentRootFiles: {},
    async prepare({ directory, port }) {
      const config = join(directory, "tinyproxy.conf");
      await writeFile(config, formatConfig(directory, port, options));
      return {
        program: program.path("tinyproxy"),
        args: ["-d", "-c", config],
        environment: program.environment,
      };
    },
    // tinyproxy writes the process id file when it listens.
    isReady: async ({ directory }) => (await readLog(join(directory, "pid"))).trim() !== "",
  });
  return {
    ...server,
    async loggedRequests() {
      const log = await readLog(join(launchAttempt.directory, "log"));
      return [...log.matchAll(/Request \(file descriptor \d+\): (.*)/g)].map(([, line = ""]) => line);
    },
  };
}

function formatConfig(
  directory: string,
  port: number,
  { login, connectPorts = [] }: TinyproxyOptions,
): string {
  const lines = [
    `Port ${port}`,
    "Listen 127.0.0.1",
    "Timeout 60",
    "MaxClients 50",
    "LogLevel Connect",
    `LogFile "${join(directory, "log")}"`,
    `PidFile "${join(directory, "pid")}"`,
    ...(login ? [`BasicAuth ${login.user} ${login.password}`] : []),
    ...connectPorts.map((allowed) => `ConnectPort ${allowed}`),
  ];
  return `${lines.join("\n")}\n`;
}
