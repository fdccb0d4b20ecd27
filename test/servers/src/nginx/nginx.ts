import { writeFile } from "node:fs/promises";
import { getCertificateFilePaths, createCertificate } from "../create-test-certificate.ts";
import type { DaemonCommand } from "../daemon/daemon.ts";
import { launchServer, type LaunchDirectoryAndPorts } from "../daemon/launch-server.ts";
import { waitForLogEntries, readLog } from "../daemon/read-log-file.ts";
import type { LoopbackAddress } from "../loopback.ts";
import { requireServerProgramFiles, type LocatedServerProgramFiles } from "../programs/locate-server.ts";
import type { RunningServer } from "../running-server.ts";
import type { ServedFiles } from "../temporary-directory.ts";
import { formatNginxConfig, getNginxFilePaths } from "./nginx-config.ts";

/** Options of nginx. */
export interface NginxOptions {
  /** The address that the tests use in URLs. nginx listens on every loopback address. Default `127.0.0.1`. */
  readonly address?: LoopbackAddress;
  /**
   * The files in the document root, in addition to the samples `hello.txt`, `text.txt`, `big.bin` and `dir/`.
   */
  readonly files?: ServedFiles;
}

/**
 * A request as nginx received it. A header field that the client did not send has an empty value in nginx's log entry.
 */
export interface NginxLogEntry {
  readonly clientPort: string;
  /** The request line. */
  readonly request: string;
  readonly status: string;
  readonly host: string;
  readonly authorization: string;
  readonly range: string;
  readonly cookie: string;
  readonly referer: string;
  readonly userAgent: string;
  /** The TLS version of the connection, or an empty text without TLS. */
  readonly tls: string;
}

/** A running nginx. */
export interface NginxServer extends RunningServer {
  /** The port on which nginx accepts TLS. */
  readonly tlsPort: number;
  /** The path of the server's self-signed certificate in PEM format. */
  readonly certificatePath: string;
  /**
   * Returns the requests that nginx has logged so far. The function waits at most 2 s until nginx has logged `atLeast`
   * requests.
   */
  loggedRequests(atLeast?: number): Promise<NginxLogEntry[]>;
}

/** The only login that the nginx test server accepts for the path `/auth`. */
export const nginxLogin: { readonly user: string; readonly password: string } = {
  user: "bob",
  password: "secret",
};

const sampleHttpFiles: ServedFiles = {
  "hello.txt": "hello\n",
  "big.bin": "x".repeat(1_048_576),
  "text.txt": Array.from(
    { length: 2000 },
    (_, index) => `line ${index + 1} of a text that compresses\n`,
  ).join(""),
  "dir/": "",
};

/**
 * Starts nginx on two free loopback ports, one of them with TLS. nginx serves files and the locations of
 * `nginx-locations.ts`: redirects, statuses, encodings, pauses and closed connections.
 *
 * @throws Error when nginx is missing or does not start.
 */
export async function startNginx({
  address = "127.0.0.1",
  files = {},
}: NginxOptions = {}): Promise<NginxServer> {
  const program = requireServerProgramFiles("nginx");
  const { launchAttempt: attempt, server } = await launchServer({
    name: "nginx",
    address,
    documentRootFiles: { ...sampleHttpFiles, ...files },
    prepare: (target) => prepareNginx(program, target),
    // nginx writes the process id file when it listens on all its ports.
    isReady: async ({ directory }) => (await readLog(getNginxFilePaths(directory).pid)).trim() !== "",
  });
  const { requestLog } = getNginxFilePaths(attempt.directory);
  return {
    ...server,
    tlsPort: attempt.secondPort,
    certificatePath: getCertificateFilePaths(attempt.directory).certificatePath,
    loggedRequests: (atLeast = 0) => waitForLogEntries(requestLog, parseRequestLog, atLeast),
  };
}

async function prepareNginx(
  program: LocatedServerProgramFiles,
  attempt: LaunchDirectoryAndPorts,
): Promise<DaemonCommand> {
  const { directory } = attempt;
  const certificate = await createCertificate(program.path("openssl"), directory, program.environment);
  const { config, passwords, errorLog } = getNginxFilePaths(directory);
  await writeFile(passwords, `${nginxLogin.user}:{PLAIN}${nginxLogin.password}\n`);
  const echoModule = program.path("nginx/modules/ngx_http_echo_module.so");
  await writeFile(config, formatNginxConfig(attempt, certificate, echoModule));
  return {
    program: program.path("nginx"),
    args: ["-p", directory, "-e", errorLog, "-c", config],
    environment: program.environment,
  };
}

function parseRequestLog(log: string): NginxLogEntry[] {
  // The last line of nginx's log may be incomplete, so the log parser of the tests ignores it.
  const lines = log.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as NginxLogEntry);
}
