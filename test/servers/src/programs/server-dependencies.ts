/**
 * The names of the programs that the tests start: real servers, clients for comparison, shells, groff, and a browser
 * that runs the modules without I/O.
 */
export type TestProgramName =
  | "vsftpd"
  | "proftpd"
  | "pure-ftpd"
  | "pyftpdlib"
  | "lftp"
  | "nginx"
  | "gophernicus"
  | "telnetd"
  | "busybox"
  | "pygopherd"
  | "gopher"
  | "lynx"
  | "curl"
  | "inn2"
  | "sn"
  | "tinyproxy"
  | "microsocks"
  | "chromium"
  | "zsh"
  | "fish"
  | "groff";

/** The programs and modules that a server needs, and the Debian packages that contain them. */
export interface ExternalProgramDependencies {
  /** Debian packages. One `apt-get install` of all these packages installs the server. */
  readonly packages: readonly string[];
  /** The names of the server's programs in the folders of `PATH` or in `sbin` folders. */
  readonly programs: readonly string[];
  /** The loadable modules of the server, relative to a library folder such as `/usr/lib`. */
  readonly modules: readonly string[];
}

/**
 * The Debian packages, programs and modules of each server, one row per server. To add a server, begin with a row in
 * this table.
 */
export const dependenciesByExternalProgram: Readonly<Record<TestProgramName, ExternalProgramDependencies>> = {
  vsftpd: {
    packages: ["vsftpd", "libpam-wrapper", "openssl"],
    programs: ["vsftpd", "openssl"],
    modules: ["libpam_wrapper.so", "pam_wrapper/pam_matrix.so"],
  },
  proftpd: {
    packages: ["proftpd-core", "proftpd-mod-crypto", "openssl"],
    programs: ["proftpd", "openssl"],
    modules: ["proftpd/mod_tls.so"],
  },
  "pure-ftpd": {
    packages: ["pure-ftpd", "libnss-wrapper", "openssl"],
    programs: ["pure-ftpd", "pure-authd", "openssl"],
    modules: ["libnss_wrapper.so"],
  },
  pyftpdlib: {
    packages: ["python3-pyftpdlib"],
    programs: ["python3"],
    modules: ["python3/dist-packages/pyftpdlib/servers.py"],
  },
  lftp: {
    packages: ["lftp"],
    programs: ["lftp"],
    modules: [],
  },
  nginx: {
    packages: ["nginx-light", "libnginx-mod-http-echo", "openssl"],
    programs: ["nginx", "openssl"],
    modules: ["nginx/modules/ngx_http_echo_module.so"],
  },
  gophernicus: {
    packages: ["gophernicus", "socat"],
    programs: ["gophernicus", "socat"],
    modules: [],
  },
  telnetd: {
    packages: ["inetutils-telnetd", "socat"],
    programs: ["telnetd", "socat"],
    modules: [],
  },
  busybox: {
    // Debian's package busybox has no telnetd, but busybox-static has it.
    packages: ["busybox-static", "socat"],
    programs: ["busybox", "socat"],
    modules: [],
  },
  pygopherd: {
    packages: ["pygopherd"],
    programs: ["pygopherd", "python3"],
    modules: ["python3/dist-packages/pygopherd/server.py"],
  },
  gopher: {
    packages: ["gopher"],
    programs: ["gopher"],
    modules: [],
  },
  curl: { packages: ["curl"], programs: ["curl"], modules: [] },
  lynx: { packages: ["lynx"], programs: ["lynx"], modules: [] },
  inn2: {
    // inn2 depends on a mail transfer agent, so this row adds a small one. The tests send no mail.
    packages: ["inn2", "msmtp-mta", "libnss-wrapper", "openssl"],
    programs: ["openssl"],
    modules: [
      "news/bin/innd",
      "news/bin/nnrpd",
      "news/bin/makehistory",
      "news/bin/auth/passwd/ckpasswd",
      "libnss_wrapper.so",
    ],
  },
  sn: {
    // msmtp-mta and bsd-mailx satisfy the dependencies of sn on mail programs. The tests send no mail.
    packages: ["sn", "msmtp-mta", "bsd-mailx", "socat"],
    programs: ["snntpd.bin", "snprimedb", "snnewgroup", "snstore", "socat"],
    modules: [],
  },
  tinyproxy: { packages: ["tinyproxy-bin"], programs: ["tinyproxy"], modules: [] },
  microsocks: { packages: ["microsocks"], programs: ["microsocks"], modules: [] },
  chromium: {
    packages: ["chromium-headless-shell"],
    programs: [],
    // The program in /usr/bin is a script with fixed paths, so this row names the binary as a module.
    modules: ["chromium/chromium-headless-shell"],
  },
  zsh: { packages: ["zsh"], programs: ["zsh"], modules: [] },
  fish: { packages: ["fish"], programs: ["fish"], modules: [] },
  groff: { packages: ["groff-base"], programs: ["groff"], modules: [] },
};

/** The names of all servers, in the order of the table. */
export const externalProgramNames: readonly TestProgramName[] = Object.keys(
  dependenciesByExternalProgram,
) as TestProgramName[];

/** Returns the apt-get command with which a user installs a server. */
export function formatServerInstallCommand(name: TestProgramName): string {
  return `apt-get install --no-install-recommends ${dependenciesByExternalProgram[name].packages.join(" ")}`;
}
