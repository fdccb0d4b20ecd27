import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CertificateFiles } from "../create-test-certificate.ts";
import type { LaunchDirectoryAndPorts } from "../daemon/launch-server.ts";
import { PASSIVE_PORT_RANGE } from "../ftp/real-ftp-server-options.ts";
import type { PamService } from "./pam-service.ts";

/** Settings of vsftpd.conf(5): name → value. */
export type VsftpdSettings = Readonly<Record<string, string>>;

/** True when this process has the root privileges of a daemon: chroot, and a change of user. */
export const hasRootPrivileges: boolean = process.getuid?.() === 0;

/**
 * Returns the path of vsftpd.log. With the setting `log_ftp_protocol`, the log contains every FTP command.
 */
export function vsftpdLogPath({ directory }: Pick<LaunchDirectoryAndPorts, "directory">): string {
  return join(directory, "vsftpd.log");
}

/** Returns the account that owns the sessions. vsftpd refuses every login when the account's home does not exist. */
function findUnprivilegedUser(): string {
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const suits = (name: string): boolean =>
    accounts.some(([account, , , , , home]) => account === name && home !== undefined && existsSync(home));
  return ["ftp", "daemon", "bin"].find(suits) ?? "root";
}

/** Returns the settings that all vsftpd servers share: in the foreground, read-only, logging each command. */
export function createCommonVsftpdSettings(attempt: LaunchDirectoryAndPorts): VsftpdSettings {
  return {
    background: "NO",
    listen_port: String(attempt.port),
    pasv_min_port: String(PASSIVE_PORT_RANGE.first),
    pasv_max_port: String(PASSIVE_PORT_RANGE.last),
    secure_chroot_dir: join(attempt.directory, "empty"),
    nopriv_user: "nobody",
    // The sandbox of vsftpd kills sessions on new kernels, so it is disabled.
    seccomp_sandbox: "NO",
    session_support: "NO",
    write_enable: "NO",
    mdtm_write: "NO",
    connect_from_port_20: "NO",
    ascii_download_enable: "YES",
    use_localtime: "NO",
    delay_failed_login: "0",
    xferlog_enable: "YES",
    dual_log_enable: "YES",
    log_ftp_protocol: "YES",
    xferlog_file: join(attempt.directory, "xferlog"),
    vsftpd_log_file: vsftpdLogPath(attempt),
    // Without root, vsftpd can neither chroot nor change the user, so sessions run as the current user.
    ...(hasRootPrivileges ? {} : { run_as_launching_user: "YES" }),
  };
}

/** Returns the settings for IPv4 or IPv6. vsftpd listens on only one of them. */
export function createVsftpdListenAddressSettings({ address }: LaunchDirectoryAndPorts): VsftpdSettings {
  return address === "::1"
    ? { listen: "NO", listen_ipv6: "YES", listen_address6: address }
    : { listen: "YES", listen_ipv6: "NO", listen_address: address };
}

/** Returns the settings that allow or forbid anonymous logins, and the folder of anonymous users. */
export function createVsftpdAnonymousSettings(
  allowed: boolean,
  { documentRoot: root }: LaunchDirectoryAndPorts,
): VsftpdSettings {
  return allowed
    ? { anonymous_enable: "YES", anon_root: root, ftp_username: findUnprivilegedUser() }
    : { anonymous_enable: "NO" };
}

/**
 * Returns the settings for named users. vsftpd treats them as guests, which have an entry in PAM and no
 * system account.
 */
export function createVsftpdNamedUserSettings(
  pamService: PamService | undefined,
  { documentRoot: root }: LaunchDirectoryAndPorts,
): VsftpdSettings {
  if (pamService === undefined) return { local_enable: "NO" };
  return {
    local_enable: "YES",
    guest_enable: "YES",
    guest_username: findUnprivilegedUser(),
    virtual_use_local_privs: "YES",
    local_root: root,
    chroot_local_user: "YES",
    check_shell: "NO",
    pam_service_name: pamService.service,
  };
}

/**
 * Returns the settings for TLS: explicit, or implicit from the first byte. With explicit TLS, logins without
 * TLS remain possible.
 */
export function createVsftpdTlsSettings(
  tls: "none" | "explicit" | "implicit",
  certificate: CertificateFiles | undefined,
): VsftpdSettings {
  if (tls === "none" || certificate === undefined) return { ssl_enable: "NO" };
  return {
    ssl_enable: "YES",
    implicit_ssl: tls === "implicit" ? "YES" : "NO",
    allow_anon_ssl: "YES",
    force_local_logins_ssl: "NO",
    force_local_data_ssl: "NO",
    require_ssl_reuse: "NO",
    ssl_tlsv1: "YES",
    ssl_ciphers: "HIGH",
    rsa_cert_file: certificate.certificatePath,
    rsa_private_key_file: certificate.keyPath,
  };
}

/** Returns the text of vsftpd.conf. */
export function formatVsftpdConf(settings: VsftpdSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}
