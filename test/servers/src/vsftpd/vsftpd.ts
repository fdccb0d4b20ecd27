import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { certificateFiles, createCertificate } from "../certificate.ts";
import { descendantsOf } from "../daemon/descendants.ts";
import { launchServer, type Place } from "../daemon/launch.ts";
import { readEntries, readLog } from "../daemon/log-file.ts";
import type { DaemonCommand } from "../daemon/daemon.ts";
import { pollUntil } from "../daemon/poll.ts";
import type { LoopbackAddress } from "../loopback.ts";
import { requireServer, type CompleteServer } from "../programs/locate.ts";
import type { RunningServer } from "../running-server.ts";
import type { Files } from "../throwaway-directory.ts";
import { readGreeting } from "./greeting.ts";
import { createPamLogins, removePamWrapperFolder } from "./pam-logins.ts";
import {
  anonymousSettings,
  baseSettings,
  formatSettings,
  isRoot,
  listenSettings,
  loginSettings,
  logPath,
  tlsSettings,
} from "./settings.ts";

/** How to start vsftpd. */
export interface VsftpdOptions {
  /** Whether `anonymous` may log in. Default true. */
  readonly anonymous?: boolean;
  /**
   * Named users: name → password, both without a colon. They see the same files. Needs root. vsftpd itself refuses
   * names with spaces or beyond ASCII. Default none.
   */
  readonly users?: Readonly<Record<string, string>>;
  /** `explicit` offers AUTH TLS beside plain sessions; `implicit` speaks TLS from the first byte. Default `none`. */
  readonly tls?: "none" | "explicit" | "implicit";
  /** Default `127.0.0.1`. */
  readonly address?: LoopbackAddress;
  /** Files for the document root. Default `hello.txt`. */
  readonly files?: Files;
  /** Further settings of vsftpd.conf(5); they win over ours. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A running vsftpd. */
export interface VsftpdServer extends RunningServer {
  /** Whether `/` is the document root. For a normal user it is the real root, and a session starts in `root`. */
  readonly chrooted: boolean;
  /** The certificate (PEM file), when the server speaks TLS. */
  readonly certificate: string | undefined;
  /**
   * The commands that really arrived, in order; the argument of PASS is not shown. Waits, at most 2 s, until there
   * are `atLeast` of them.
   */
  commands(atLeast?: number): Promise<string[]>;
}

/** True where vsftpd can have named users: it must be root to serve them. */
export const vsftpdCanHaveUsers: boolean = isRoot;

const sampleFiles: Files = { "hello.txt": "hello\n" };

/**
 * Starts vsftpd on a free loopback port.
 *
 * @throws Error when it is not on this machine, when it does not start, or for named users without root.
 */
export async function startVsftpd(options: VsftpdOptions = {}): Promise<VsftpdServer> {
  const { address = "127.0.0.1", tls = "none", files = sampleFiles, users } = options;
  if (users !== undefined && !isRoot) throw new Error("vsftpd serves named users only as root");
  const program = requireServer("vsftpd");
  const { place, server } = await launchServer({
    name: "vsftpd",
    address,
    files,
    prepare: (target) => prepare(program, target, options),
    async isReady(target, daemon) {
      const greeting = await readGreeting(address, target.port, tls === "implicit");
      // The greeting alone might come from another server; the log is written by ours.
      if (!greeting.startsWith("220") || !(await readLog(logPath(target))).includes("CONNECT")) return false;
      // Our own visit must not count when a test limits the number of clients.
      return pollUntil(() => descendantsOf(daemon.pid).length === 0, 1000);
    },
    ...(users === undefined ? {} : { cleanUp: removePamWrapperFolder }),
  });
  const log = logPath(place);
  const ownVisit = (await readLog(log)).length;
  return {
    ...server,
    chrooted: isRoot,
    certificate: tls === "none" ? undefined : certificateFiles(place.directory).certificate,
    commands: (atLeast = 0) => readEntries(log, (text) => parseCommands(text.slice(ownVisit)), atLeast),
  };
}

async function prepare(
  program: CompleteServer,
  place: Place,
  { anonymous = true, users, tls = "none", settings }: VsftpdOptions,
): Promise<DaemonCommand> {
  const { directory } = place;
  await mkdir(join(directory, "empty"));
  const logins = users === undefined ? undefined : await createPamLogins(users, directory, program);
  const certificate =
    tls === "none"
      ? undefined
      : await createCertificate(program.path("openssl"), directory, program.environment);
  const config = join(directory, "vsftpd.conf");
  const text = formatSettings({
    ...baseSettings(place),
    ...listenSettings(place),
    ...anonymousSettings(anonymous, place),
    ...loginSettings(logins, place),
    ...tlsSettings(tls, certificate),
    ...settings,
  });
  // vsftpd refuses a configuration that others may write.
  await writeFile(config, text, { mode: 0o600 });
  return {
    program: program.path("vsftpd"),
    args: [config],
    environment: { ...program.environment, ...logins?.environment },
  };
}

function parseCommands(log: string): string[] {
  return [...log.matchAll(/FTP command: Client "[^"]*", "(.*)"$/gm)].map(([, command]) => command ?? "");
}
