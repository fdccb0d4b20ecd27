import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getCertificateFilePaths, createCertificate } from "../create-test-certificate.ts";
import type { DaemonCommand } from "../daemon/daemon.ts";
import { listDescendantProcesses } from "../daemon/descendant-processes.ts";
import { launchServer, type LaunchDirectoryAndPorts } from "../daemon/launch-server.ts";
import { pollUntilTrueOrTimeout } from "../daemon/poll-until.ts";
import { readServerGreeting } from "../vsftpd/read-server-greeting.ts";
import {
  type RunningFtpServer,
  type RealFtpServerOptions,
  PASSIVE_PORT_RANGE,
  sampleFtpFiles,
} from "../ftp/real-ftp-server-options.ts";
import { type LocatedServerProgramFiles, requireServerProgramFiles } from "../programs/locate-server.ts";
import { hasRootPrivileges } from "../vsftpd/vsftpd-config.ts";

/** True when pure-ftpd can run in this process, which requires root. */
export const hasPrivilegesForPureftpd: boolean = hasRootPrivileges;

/** The user id of the account ftp and of named users in pure-ftpd. */
const ftpAccountUserId = 65_533;

/**
 * Starts pure-ftpd on a free loopback port. pure-ftpd has no implicit TLS, and sends 230 to USER for
 * anonymous users.
 *
 * @throws Error when pure-ftpd is missing or does not start, without root, and for implicit TLS.
 */
export async function startPureftpd(options: RealFtpServerOptions = {}): Promise<RunningFtpServer> {
  const { address = "127.0.0.1", tls = "none", files = sampleFtpFiles } = options;
  if (!hasPrivilegesForPureftpd) throw new Error("pure-ftpd runs only as root");
  if (tls === "implicit") throw new Error("pure-ftpd does not support implicit TLS");
  const program = requireServerProgramFiles("pure-ftpd");
  let authentication: ChildProcess | undefined;
  const { launchAttempt: attempt, server } = await launchServer({
    name: "pure-ftpd",
    address,
    documentRootFiles: files,
    async prepare(attempt) {
      authentication = options.users && (await startAuthenticationDaemon(program, attempt, options.users));
      return preparePureftpd(program, attempt, options);
    },
    cleanUp: () => Promise.resolve(void authentication?.kill()),
    async isReady({ port }, daemon) {
      const greeting = await readServerGreeting(address, port, false);
      if (!greeting.includes("Pure-FTPd")) return false;
      // The readiness check waits until its own FTP session has ended, since a test may limit the number of clients.
      return pollUntilTrueOrTimeout(() => listDescendantProcesses(daemon.pid).length === 0, 1000);
    },
  });
  return {
    ...server,
    certificatePath: tls === "none" ? undefined : getCertificateFilePaths(attempt.directory).certificatePath,
  };
}

async function preparePureftpd(
  program: LocatedServerProgramFiles,
  attempt: LaunchDirectoryAndPorts,
  {
    users,
    tls = "none",
    maxConnections = 40,
    maxListedEntries = 10_000,
    writable = false,
  }: RealFtpServerOptions,
): Promise<DaemonCommand> {
  const { directory, documentRoot: root, address, port } = attempt;
  await writeAccountFiles(attempt);
  const pem = join(directory, "tls.pem");
  if (tls !== "none") {
    const files = await createCertificate(program.path("openssl"), directory, program.environment);
    const both = await Promise.all(
      [files.keyPath, files.certificatePath].map((file) => readFile(file, "utf8")),
    );
    await writeFile(pem, both.join(""), { mode: 0o600 });
  }
  return {
    program: program.path("pure-ftpd"),
    args: [
      ...`${address === "::1" ? "-6" : "-4"} -S ${address},${port} -A -H -I 5 -u 1`.split(" "),
      ...`-p ${PASSIVE_PORT_RANGE.first}:${PASSIVE_PORT_RANGE.last}`.split(" "),
      ...`-L ${maxListedEntries}:5 -c ${maxConnections} -C ${maxConnections} ${writable ? "-M" : "-i"}`.split(
        " ",
      ),
      ...(users ? ["-l", `extauth:${authenticationSocketPath(attempt)}`] : ["-e"]),
      ...(tls === "none" ? ["-Y", "0"] : ["-Y", "1", "-2", pem]),
      "-g",
      join(directory, "pid"),
    ],
    environment: {
      ...program.environment,
      LD_PRELOAD: program.path("libnss_wrapper.so"),
      NSS_WRAPPER_PASSWD: join(directory, "accounts"),
      NSS_WRAPPER_GROUP: join(directory, "groups"),
      HOME: root,
    },
  };
}

/**
 * Writes the account files for nss_wrapper with the account ftp, which pure-ftpd requires for anonymous
 * users.
 */
async function writeAccountFiles({ directory, documentRoot: root }: LaunchDirectoryAndPorts): Promise<void> {
  const accounts = readFileSync("/etc/passwd", "utf8").replace(/^ftp:.*\n/m, "");
  const own = `ftp:x:${ftpAccountUserId}:65534::${root}:/bin/false\n`;
  await writeFile(join(directory, "accounts"), accounts + own, { mode: 0o644 });
  await writeFile(join(directory, "groups"), readFileSync("/etc/group"), { mode: 0o644 });
}

/** Starts pure-authd, which runs a script for each login. pure-authd ends with this process. */
async function startAuthenticationDaemon(
  program: LocatedServerProgramFiles,
  { directory, documentRoot: root }: LaunchDirectoryAndPorts,
  users: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const socket = authenticationSocketPath({ directory });
  const script = join(directory, "authenticate");
  const known = Object.entries(users)
    .map(([name, password]) => `${name}\t${password}\n`)
    .join("");
  await writeFile(join(directory, "users"), known, { mode: 0o644 });
  await writeFile(script, formatAuthenticationScript(join(directory, "users"), root));
  await chmod(script, 0o755);
  const child = spawn(program.path("pure-authd"), ["-s", socket, "-r", script], {
    env: { ...process.env, ...program.environment },
    stdio: "ignore",
  });
  const end = (): void => void child.kill();
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  child.unref();
  if (!(await pollUntilTrueOrTimeout(() => existsSync(socket), 2000)))
    throw new Error("pure-authd did not start");
  return child;
}

function authenticationSocketPath({ directory }: Pick<LaunchDirectoryAndPorts, "directory">): string {
  return join(directory, "auth.sock");
}

function formatAuthenticationScript(users: string, root: string): string {
  return [
    "#!/bin/bash",
    "while IFS=$'\\t' read -r user password; do",
    '  if [ "$user" = "$AUTHD_ACCOUNT" ]; then',
    '    if [ "$password" = "$AUTHD_PASSWORD" ]; then',
    `      printf 'auth_ok:1\\nuid:${ftpAccountUserId}\\ngid:65534\\ndir:${root}/./\\nend\\n'`,
    "    else printf 'auth_ok:-1\\nend\\n'; fi",
    "    exit 0",
    "  fi",
    `done <"${users}"`,
    "printf 'auth_ok:0\\nend\\n'",
    "",
  ].join("\n");
}
