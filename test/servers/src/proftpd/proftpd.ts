import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getCertificateFilePaths, createCertificate } from "../create-test-certificate.ts";
import type { DaemonCommand } from "../daemon/daemon.ts";
import { listDescendantProcesses } from "../daemon/descendant-processes.ts";
import { launchServer, type LaunchDirectoryAndPorts } from "../daemon/launch-server.ts";
import { pollUntilTrueOrTimeout } from "../daemon/poll-until.ts";
import { readServerGreeting } from "../vsftpd/read-server-greeting.ts";
import { type RunningFtpServer, sampleFtpFiles } from "../ftp/real-ftp-server-options.ts";
import { type LocatedServerProgramFiles, requireServerProgramFiles } from "../programs/locate-server.ts";
import { readProgramOutput } from "../programs/read-program-output.ts";
import { hasRootPrivileges } from "../vsftpd/vsftpd-config.ts";
import {
  formatProftpdAuthGroupFile,
  formatProftpdConfig,
  type ProftpdOptions,
  formatProftpdAuthUserFile,
} from "./proftpd-config.ts";

export type { ProftpdOptions } from "./proftpd-config.ts";

/** True when proftpd can serve anonymous users, for which it calls chroot as root. */
export const proftpdSupportsAnonymous: boolean = hasRootPrivileges;

/**
 * Starts proftpd on a free loopback port. proftpd requires that data connections resume the TLS session of
 * the control connection.
 *
 * @throws Error when proftpd is missing or does not start.
 */
export async function startProftpd(options: ProftpdOptions = {}): Promise<RunningFtpServer> {
  const { address = "127.0.0.1", tls = "none", files = sampleFtpFiles } = options;
  const program = requireServerProgramFiles("proftpd");
  const { launchAttempt: attempt, server } = await launchServer({
    name: "proftpd",
    address,
    documentRootFiles: files,
    prepare: (target) => prepareProftpd(program, target, options),
    async isReady({ port, directory }, daemon) {
      const greeting = await readServerGreeting(address, port, tls === "implicit");
      if (!greeting.includes(directory)) return false;
      // The readiness check waits until its own FTP session has ended, since a test may limit the number of clients.
      return pollUntilTrueOrTimeout(() => listDescendantProcesses(daemon.pid).length === 0, 1000);
    },
  });
  return {
    ...server,
    certificatePath: tls === "none" ? undefined : getCertificateFilePaths(attempt.directory).certificatePath,
  };
}

async function prepareProftpd(
  program: LocatedServerProgramFiles,
  attempt: LaunchDirectoryAndPorts,
  options: ProftpdOptions,
): Promise<DaemonCommand> {
  const { directory, documentRoot: root } = attempt;
  const { environment } = program;
  const openssl = program.path("openssl");
  const certificate =
    options.tls === undefined || options.tls === "none"
      ? undefined
      : await createCertificate(openssl, directory, environment);
  const hashes: Record<string, string> = {};
  for (const [name, password] of Object.entries({ ftp: "x", ...options.users })) {
    const hash = await readProgramOutput(openssl, ["passwd", "-5", "-salt", "anyscheme", password], {
      environment,
    });
    hashes[name] = hash.trim();
  }
  await writeFile(join(directory, "users"), formatProftpdAuthUserFile(hashes, root), { mode: 0o600 });
  await writeFile(join(directory, "groups"), formatProftpdAuthGroupFile(), { mode: 0o600 });
  const config = join(directory, "proftpd.conf");
  await writeFile(
    config,
    formatProftpdConfig(attempt, program.path("proftpd/mod_tls.so"), certificate, options),
  );
  return { program: program.path("proftpd"), args: ["-n", "-q", "-c", config], environment };
}
