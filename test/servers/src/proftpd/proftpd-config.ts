import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CertificateFiles } from "../create-test-certificate.ts";
import type { LaunchDirectoryAndPorts } from "../daemon/launch-server.ts";
import { type RealFtpServerOptions, PASSIVE_PORT_RANGE } from "../ftp/real-ftp-server-options.ts";
import { hasRootPrivileges } from "../vsftpd/vsftpd-config.ts";

/** Options of proftpd. */
export interface ProftpdOptions extends RealFtpServerOptions {
  /**
   * The maximum number of concurrent sessions. proftpd closes further connections before the greeting.
   * Default 60.
   */
  readonly maxSessions?: number;
}

/**
 * The user and group ids under which proftpd runs: those of nobody when root starts it, otherwise the current
 * ones.
 */
const proftpdAccountIds = hasRootPrivileges
  ? { user: 65_534, group: 65_534 }
  : { user: process.getuid?.(), group: process.getgid?.() };
const proftpdUserName: string = findNameOfId("/etc/passwd", proftpdAccountIds.user);
const proftpdGroupName: string = findNameOfId("/etc/group", proftpdAccountIds.group);

function findNameOfId(file: string, id: number | undefined): string {
  const rows = readFileSync(file, "utf8").split("\n");
  return rows.map((row) => row.split(":")).find(([, , number]) => number === String(id))?.[0] ?? "nobody";
}

/**
 * Returns the text of proftpd's AuthUserFile with the names and password hashes of users. In this file of proftpd, a
 * user name may contain any character except a colon and a line break.
 */
export function formatProftpdAuthUserFile(hashes: Readonly<Record<string, string>>, root: string): string {
  return Object.entries(hashes)
    .map(
      ([name, hash]) =>
        `${name}:${hash}:${proftpdAccountIds.user}:${proftpdAccountIds.group}::${root}:/bin/sh\n`,
    )
    .join("");
}

export function formatProftpdAuthGroupFile(): string {
  return `${proftpdGroupName}:x:${proftpdAccountIds.group}:\n`;
}

/**
 * Returns the text of proftpd.conf. Without root privileges, proftpd can neither call chroot nor allow anonymous
 * logins.
 */
export function formatProftpdConfig(
  { directory, documentRoot: root, address, port }: LaunchDirectoryAndPorts,
  tlsModule: string,
  certificate: CertificateFiles | undefined,
  {
    tls = "none",
    maxConnections = 40,
    maxSessions = 60,
    writable = false,
    deniedCommands = [],
  }: ProftpdOptions,
): string {
  const access = writable ? "AllowAll" : "DenyAll";
  return [
    `ModulePath ${dirname(tlsModule)}`,
    ...(certificate ? ["LoadModule mod_tls.c"] : []),
    "ServerType standalone",
    `ServerIdent on "${directory}"`,
    "DefaultServer on",
    "SocketBindTight on",
    `DefaultAddress ${address}`,
    `Port ${port}`,
    `PassivePorts ${PASSIVE_PORT_RANGE.first} ${PASSIVE_PORT_RANGE.last}`,
    `UseIPv6 ${address === "::1" ? "on" : "off"}`,
    "UseReverseDNS off",
    `User ${proftpdUserName}`,
    `Group ${proftpdGroupName}`,
    "Umask 022",
    `MaxInstances ${maxSessions}`,
    `MaxClients ${maxConnections}`,
    "AuthOrder mod_auth_file.c",
    `AuthUserFile ${join(directory, "users")}`,
    `AuthGroupFile ${join(directory, "groups")}`,
    "AuthPAM off",
    "RequireValidShell off",
    "UseFtpUsers off",
    "WtmpLog off",
    "DelayEngine off",
    "MaxLoginAttempts 3",
    "TimesGMT on",
    ...(hasRootPrivileges ? ["DefaultRoot ~"] : []),
    `PidFile ${join(directory, "pid")}`,
    `ScoreboardFile ${join(directory, "scoreboard")}`,
    `SystemLog ${join(directory, "system.log")}`,
    `TransferLog ${join(directory, "transfers.log")}`,
    "ControlsEngine off",
    "AllowStoreRestart on",
    "AllowRetrieveRestart on",
    `<Global>\nAllowOverwrite ${writable ? "on" : "off"}\n</Global>`,
    ...deniedCommands.map((command) => `<Limit ${command}>\nDenyAll\n</Limit>`),
    `<Limit WRITE>\n${access}\n</Limit>`,
    ...(hasRootPrivileges
      ? [
          `<Anonymous ${root}>\nUser ftp\nUserAlias anonymous ftp\nRequireValidShell off\nMaxClients ${maxConnections}\n</Anonymous>`,
        ]
      : []),
    ...(certificate ? formatTlsDirectives(directory, certificate, tls === "implicit") : []),
    "",
  ].join("\n");
}

function formatTlsDirectives(
  directory: string,
  { certificatePath, keyPath }: CertificateFiles,
  implicit: boolean,
): string[] {
  return [
    "TLSEngine on",
    `TLSLog ${join(directory, "tls.log")}`,
    `TLSECCertificateFile ${certificatePath}`,
    `TLSECCertificateKeyFile ${keyPath}`,
    "TLSVerifyClient off",
    "TLSRequired off",
    ...(implicit ? ["TLSOptions UseImplicitSSL"] : []),
  ];
}
