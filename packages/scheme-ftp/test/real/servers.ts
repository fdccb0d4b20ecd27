import {
  type FtpServer,
  type FtpServerOptions,
  proftpdCanBeAnonymous,
  pureftpdCanRun,
  type ServerName,
  startProftpd,
  startPureftpd,
  startPyftpdlib,
  startVsftpd,
  vsftpdCanHaveUsers,
} from "@anyscheme/servers";

/** A feature that a server may lack. */
export type Ability =
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

export interface Row {
  readonly name: "vsftpd" | "proftpd" | "pure-ftpd";
  start(options: FtpServerOptions): Promise<FtpServer>;
  /** The features that the server lacks, each with the reason. */
  readonly cannot: Partial<Record<Ability, string>>;
  /** The server's reply to a CWD with an empty argument. */
  readonly nullCwd: "not-found" | "unsupported" | "home";
}

/** A server with a setting that limits its connections. */
export interface LimitedRow extends Pick<Row, "start" | "cannot"> {
  readonly name: ServerName;
  readonly setting: string;
}

const NEEDS_ROOT = "needs root";

const VSFTPD: Row = {
  name: "vsftpd",
  start: ({ connections, writable, denied = [], ...options }) =>
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
  cannot: {
    mlsd: "vsftpd does not support MLSD",
    "truncated listings": "vsftpd does not truncate listings",
    "user:colon": "its user file allows no colon in a user name",
    "user:space": "vsftpd refuses user names with spaces",
    "user:non-ASCII": "vsftpd refuses user names outside US-ASCII",
    ...(vsftpdCanHaveUsers ? {} : { users: NEEDS_ROOT }),
  },
  nullCwd: "not-found",
};

const PROFTPD: Row = {
  name: "proftpd",
  start: startProftpd,
  cannot: {
    "truncated listings": "proftpd truncates listings without reporting it",
    "user:colon": "its user file allows no colon in a user name",
    ...(proftpdCanBeAnonymous ? {} : { anonymous: NEEDS_ROOT }),
  },
  nullCwd: "unsupported",
};

const PUREFTPD: Row = {
  name: "pure-ftpd",
  start: startPureftpd,
  cannot: {
    "implicit TLS": "pure-ftpd has no implicit TLS",
    "PASV alone": "pure-ftpd has no option that disables EPSV",
    "no SIZE": "pure-ftpd has no option that disables SIZE",
    ...(pureftpdCanRun ? {} : { run: NEEDS_ROOT }),
  },
  nullCwd: "home",
};

/** The servers. The same tests run on each. */
export const ROWS: readonly Row[] = [VSFTPD, PROFTPD, PUREFTPD];

/** The settings that limit connections, and the replies to a connection beyond the limit. */
export const LIMITED_ROWS: readonly LimitedRow[] = [
  { ...VSFTPD, setting: "max_clients: 421 for a greeting" },
  {
    ...VSFTPD,
    setting: "max_per_ip: 421 for a greeting",
    start: ({ connections = 40, files = {} }) =>
      startVsftpd({ files, settings: { max_per_ip: String(connections) } }),
  },
  { ...PROFTPD, setting: "MaxClients: 530 to PASS" },
  {
    ...PROFTPD,
    setting: "MaxInstances: closed before the greeting",
    start: ({ connections = 40, files = {} }) => startProftpd({ files, instances: connections }),
  },
  { ...PUREFTPD, setting: "-c and -C: 421 for a greeting" },
  {
    name: "pyftpdlib",
    setting: "max_cons: 421 for a greeting, 425 to EPSV",
    start: startPyftpdlib,
    cannot: {},
  },
];
