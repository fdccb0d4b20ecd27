import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DaemonCommand } from "../daemon/daemon.ts";
import { launchServer, type LaunchDirectoryAndPorts } from "../daemon/launch-server.ts";
import {
  type RunningFtpServer,
  type RealFtpServerOptions,
  sampleFtpFiles,
} from "../ftp/real-ftp-server-options.ts";
import { type LocatedServerProgramFiles, requireServerProgramFiles } from "../programs/locate-server.ts";

/** Options of pyftpdlib. `maxConnections` also counts the listening socket and FTP data connections. */
export type PyftpdlibOptions = Pick<RealFtpServerOptions, "address" | "files" | "maxConnections">;

/**
 * Starts pyftpdlib on a free loopback port, read-only and for anonymous users. pyftpdlib handles all sessions
 * in one process.
 *
 * @throws Error when pyftpdlib is missing or does not start.
 */
export async function startPyftpdlib(options: PyftpdlibOptions = {}): Promise<RunningFtpServer> {
  const { address = "127.0.0.1", files = sampleFtpFiles, maxConnections = 40 } = options;
  const program = requireServerProgramFiles("pyftpdlib");
  const { server } = await launchServer({
    name: "pyftpdlib",
    address,
    documentRootFiles: files,
    prepare: (attempt) => preparePyftpdlib(program, attempt, maxConnections),
    // pyftpdlib logs "LISTENING" after it has begun to listen.
    isReady: (_place, daemon) => Promise.resolve(daemon.output().includes("LISTENING")),
  });
  return { ...server, certificatePath: undefined };
}

async function preparePyftpdlib(
  program: LocatedServerProgramFiles,
  attempt: LaunchDirectoryAndPorts,
  maxConnections: number,
): Promise<DaemonCommand> {
  const { directory, documentRoot: root, address, port } = attempt;
  const script = join(directory, "server.py");
  await writeFile(script, pyftpdlibScript);
  return {
    program: program.path("python3"),
    args: [script, root, address, String(port), String(maxConnections)],
    environment: {
      ...program.environment,
      PYTHONUNBUFFERED: "1",
      PYTHONDONTWRITEBYTECODE: "1",
      PYTHONPATH: dirname(dirname(program.path(pyftpdlibModulePath))),
    },
  };
}

/** The path of pyftpdlib's Python module below `/usr/lib` of its Debian package. */
const pyftpdlibModulePath = "python3/dist-packages/pyftpdlib/servers.py";

const pyftpdlibScript = `import logging, sys
from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler
from pyftpdlib.servers import FTPServer

root, address, port, connections = sys.argv[1:]
logging.basicConfig(level=logging.CRITICAL)
authorizer = DummyAuthorizer()
authorizer.add_anonymous(root, perm="elr")
FTPHandler.authorizer = authorizer
FTPServer.max_cons = int(connections)
server = FTPServer((address, int(port)), FTPHandler)
print("LISTENING")
server.serve_forever(handle_exit=False)
`;
