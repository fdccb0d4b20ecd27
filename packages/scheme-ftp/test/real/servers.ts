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
  | "cut listings"
  | "no SIZE"
  | "user:colon"
  | "user:space"
  | "user:beyond ASCII";

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
    mlsd: "vsftpd does not know MLSD",
    "cut listings": "vsftpd lists everything",
    "user:colon": "its file of users ends names at a colon",
    "user:space": "vsftpd refuses names with spaces",
    "user:beyond ASCII": "vsftpd refuses names beyond ASCII",
    ...(vsftpdCanHaveUsers ? {} : { users: NEEDS_ROOT }),
  },
  nullCwd: "not-found",
};

const PROFTPD: Row = {
  name: "proftpd",
  start: startProftpd,
  cannot: {
    "cut listings": "proftpd does not say that it leaves entries out",
    "user:colon": "its file of users ends names at a colon",
    ...(proftpdCanBeAnonymous ? {} : { anonymous: NEEDS_ROOT }),
  },
  nullCwd: "unsupported",
};

const PUREFTPD: Row = {
  name: "pure-ftpd",
  start: startPureftpd,
  cannot: {
    "implicit TLS": "pure-ftpd has no implicit TLS",
    "PASV alone": "no switch of pure-ftpd takes EPSV away",
    "no SIZE": "no switch of pure-ftpd takes SIZE away",
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
