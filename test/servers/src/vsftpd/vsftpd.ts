import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getCertificateFilePaths, createCertificate } from "../create-test-certificate.ts";
import { listDescendantProcesses } from "../daemon/descendant-processes.ts";
import { launchServer, type LaunchDirectoryAndPorts } from "../daemon/launch-server.ts";
import { waitForLogEntries, readLog } from "../daemon/read-log-file.ts";
import type { DaemonCommand } from "../daemon/daemon.ts";
import { pollUntilTrueOrTimeout } from "../daemon/poll-until.ts";
import type { LoopbackAddress } from "../loopback.ts";
import { requireServerProgramFiles, type LocatedServerProgramFiles } from "../programs/locate-server.ts";
import type { RunningServer } from "../running-server.ts";
import type { ServedFiles } from "../temporary-directory.ts";
import { readServerGreeting } from "./read-server-greeting.ts";
import { createPamService, removePamWrapperFolder } from "./pam-service.ts";
import {
  createVsftpdAnonymousSettings,
  createCommonVsftpdSettings,
  formatVsftpdConf,
  hasRootPrivileges,
  createVsftpdListenAddressSettings,
  createVsftpdNamedUserSettings,
  vsftpdLogPath,
  createVsftpdTlsSettings,
} from "./vsftpd-config.ts";

/** Options of vsftpd. */
export interface VsftpdOptions {
  /** True when the user `anonymous` may log in. Default true. */
  readonly anonymous?: boolean;
  /**
   * The passwords of vsftpd's named users, by name. User names and passwords contain no colon. All users of vsftpd have
   * access to the same files. Named users need root, and vsftpd refuses names with spaces or non-ASCII characters.
   * Default none.
   */
  readonly users?: Readonly<Record<string, string>>;
  /** `explicit` offers AUTH TLS and plain sessions; `implicit` uses TLS from the first byte. Default `none`. */
  readonly tls?: "none" | "explicit" | "implicit";
  /** The address on which vsftpd listens. Default `127.0.0.1`. */
  readonly address?: LoopbackAddress;
  /** The files in vsftpd's document root, by path. Default `hello.txt`. */
  readonly files?: ServedFiles;
  /** Additional settings of vsftpd.conf(5), which override the default settings. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A running vsftpd. */
export interface VsftpdServer extends RunningServer {
  /**
   * True when FTP paths begin at the document root. Without root privileges, FTP paths begin at the root of
   * the file system.
   */
  readonly chrooted: boolean;
  /** The path of the server's certificate in PEM format, or undefined without TLS. */
  readonly certificatePath: string | undefined;
  /**
   * Returns the commands that vsftpd has received, without the argument of PASS. The function waits at most 2 s until
   * vsftpd has logged `atLeast` FTP commands.
   */
  receivedCommands(atLeast?: number): Promise<string[]>;
}

/** True when vsftpd can have named users, which requires root. */
export const vsftpdSupportsNamedUsers: boolean = hasRootPrivileges;

const sampleVsftpdFiles: ServedFiles = { "hello.txt": "hello\n" };

/**
 * Starts vsftpd on a free loopback port.
 *
 * @throws Error when vsftpd is missing or does not start, or for named users without root.
 */
export async function startVsftpd(options: VsftpdOptions = {}): Promise<VsftpdServer> {
  const { address = "127.0.0.1", tls = "none", files = sampleVsftpdFiles, users } = options;
  if (users !== undefined && !hasRootPrivileges) throw new Error("vsftpd serves named users only as root");
  const program = requireServerProgramFiles("vsftpd");
  const { launchAttempt: attempt, server } = await launchServer({
    name: "vsftpd",
    address,
    documentRootFiles: files,
    prepare: (target) => prepareVsftpd(program, target, options),
    async isReady(target, daemon) {
      const greeting = await readServerGreeting(address, target.port, tls === "implicit");
      // The readiness check also reads vsftpd's log, since the greeting might come from a different server on the port.
      if (!greeting.startsWith("220") || !(await readLog(vsftpdLogPath(target))).includes("CONNECT"))
        return false;
      // The readiness check waits until its own FTP session has ended, since a test may limit the number of clients.
      return pollUntilTrueOrTimeout(() => listDescendantProcesses(daemon.pid).length === 0, 1000);
    },
    ...(users === undefined ? {} : { cleanUp: removePamWrapperFolder }),
  });
  const log = vsftpdLogPath(attempt);
  const ownVisit = (await readLog(log)).length;
  return {
    ...server,
    chrooted: hasRootPrivileges,
    certificatePath: tls === "none" ? undefined : getCertificateFilePaths(attempt.directory).certificatePath,
    receivedCommands: (atLeast = 0) =>
      waitForLogEntries(log, (text) => parseLoggedCommands(text.slice(ownVisit)), atLeast),
  };
}

async function prepareVsftpd(
  program: LocatedServerProgramFiles,
  attempt: LaunchDirectoryAndPorts,
  { anonymous = true, users, tls = "none", settings }: VsftpdOptions,
): Promise<DaemonCommand> {
  const { directory } = attempt;
  await mkdir(join(directory, "empty"));
  const pamService = users === undefined ? undefined : await createPamService(users, directory, program);
  const certificate =
    tls === "none"
      ? undefined
      : await createCertificate(program.path("openssl"), directory, program.environment);
  const config = join(directory, "vsftpd.conf");
  const text = formatVsftpdConf({
    ...createCommonVsftpdSettings(attempt),
    ...createVsftpdListenAddressSettings(attempt),
    ...createVsftpdAnonymousSettings(anonymous, attempt),
    ...createVsftpdNamedUserSettings(pamService, attempt),
    ...createVsftpdTlsSettings(tls, certificate),
    ...settings,
  });
  // vsftpd rejects a configuration file that other users may write.
  await writeFile(config, text, { mode: 0o600 });
  return {
    program: program.path("vsftpd"),
    args: [config],
    environment: { ...program.environment, ...pamService?.environment },
  };
}

function parseLoggedCommands(log: string): string[] {
  return [...log.matchAll(/FTP command: Client "[^"]*", "(.*)"$/gm)].map(([, command]) => command ?? "");
}
