import {
  type RunningFtpServer,
  type RealFtpServerOptions,
  proftpdSupportsAnonymous,
  hasPrivilegesForPureftpd,
  type TestProgramName,
  startProftpd,
  startPureftpd,
  startPyftpdlib,
  startVsftpd,
  vsftpdSupportsNamedUsers,
} from "@anyscheme/servers";

/** An FTP feature that some of the tested servers lack. */
export type TestedFtpServerFeature =
  | "run"
  | "anonymous"
  | "users"
  | "mlsd"
  | "implicit TLS"
  | "PASV alone"
  | "truncated listings"
  | "no SIZE"
  | "user:colon"
  | "user:space"
  | "user:non-ASCII";

export interface TestedFtpServer {
  readonly name: "vsftpd" | "proftpd" | "pure-ftpd";
  start(options: RealFtpServerOptions): Promise<RunningFtpServer>;
  /** The FTP features that the tested server lacks, with the reasons. */
  readonly missingFeatures: Partial<Record<TestedFtpServerFeature, string>>;
  /** The result of a CWD with an empty argument: an error code, or `home` for the login directory. */
  readonly resultOfNullCwd: "not-found" | "unsupported" | "home";
}

/** An FTP server whose configuration limits the number of connections. */
export interface ServerWithConnectionLimit extends Pick<TestedFtpServer, "start" | "missingFeatures"> {
  readonly name: TestProgramName;
  readonly limitSetting: string;
}

const NEEDS_ROOT_REASON = "needs root";

const VSFTPD: TestedFtpServer = {
  name: "vsftpd",
  start: ({ maxConnections: connections, writable, deniedCommands: denied = [], ...options }) =>
    startVsftpd({
      ...options,
      settings: {
        require_ssl_reuse: "YES",
        ascii_upload_enable: "YES",
        ...(connections === undefined ? {} : { max_clients: String(connections) }),
        ...(denied.length > 0 && { cmds_denied: denied.join(",") }),
        ...(writable && {
          write_enable: "YES",
          anon_umask: "022",
          anon_upload_enable: "YES",
          anon_mkdir_write_enable: "YES",
          anon_other_write_enable: "YES",
        }),
      },
    }),
  missingFeatures: {
    mlsd: "vsftpd does not support MLSD",
    "truncated listings": "vsftpd does not truncate listings",
    "user:colon": "the user file of the server allows no colon in a user name",
    "user:space": "vsftpd refuses user names with spaces",
    "user:non-ASCII": "vsftpd refuses user names outside US-ASCII",
    ...(vsftpdSupportsNamedUsers ? {} : { users: NEEDS_ROOT_REASON }),
  },
  resultOfNullCwd: "not-found",
};

const PROFTPD: TestedFtpServer = {
  name: "proftpd",
  start: startProftpd,
  missingFeatures: {
    "truncated listings": "proftpd truncates listings without reporting it",
    "user:colon": "the user file of the server allows no colon in a user name",
    ...(proftpdSupportsAnonymous ? {} : { anonymous: NEEDS_ROOT_REASON }),
  },
  resultOfNullCwd: "unsupported",
};

const PUREFTPD: TestedFtpServer = {
  name: "pure-ftpd",
  start: startPureftpd,
  missingFeatures: {
    "implicit TLS": "pure-ftpd has no implicit TLS",
    "PASV alone": "pure-ftpd has no option that disables EPSV",
    "no SIZE": "pure-ftpd has no option that disables SIZE",
    ...(hasPrivilegesForPureftpd ? {} : { run: NEEDS_ROOT_REASON }),
  },
  resultOfNullCwd: "home",
};

/** The FTP servers on which the tests of `describeOnEachServer` run. */
export const TESTED_FTP_SERVERS: readonly TestedFtpServer[] = [VSFTPD, PROFTPD, PUREFTPD];

/**
 * The FTP servers whose configuration limits the number of connections, and their replies to a connection above the
 * limit.
 */
export const SERVERS_WITH_CONNECTION_LIMIT: readonly ServerWithConnectionLimit[] = [
  { ...VSFTPD, limitSetting: "the setting max_clients, which replies 421 instead of a greeting" },
  {
    ...VSFTPD,
    limitSetting: "the setting max_per_ip, which replies 421 instead of a greeting",
    start: ({ maxConnections: connections = 40, files = {} }) =>
      startVsftpd({ files, settings: { max_per_ip: String(connections) } }),
  },
  { ...PROFTPD, limitSetting: "the setting MaxClients, which replies 530 to PASS" },
  {
    ...PROFTPD,
    limitSetting: "the setting MaxInstances, which closes the connection before the greeting",
    start: ({ maxConnections: connections = 40, files = {} }) =>
      startProftpd({ files, maxSessions: connections }),
  },
  { ...PUREFTPD, limitSetting: "the options -c and -C, which reply 421 instead of a greeting" },
  {
    name: "pyftpdlib",
    limitSetting: "the setting max_cons, which replies 421 instead of a greeting or 425 to EPSV",
    start: startPyftpdlib,
    missingFeatures: {},
  },
];
