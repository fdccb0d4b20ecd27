import type { CoreLimits } from "@anyscheme/core";
import {
  type OptionTable,
  certificatesOptionKind,
  millisecondsOptionKind,
  createEnumOptionKind,
  positiveMillisecondsOptionKind,
} from "@anyscheme/core/plugin";

/** The strategy by which CWD reaches the directory of a URL; see {@link FtpOptions.cwdStrategy}. */
export type CwdStrategy = "multicwd" | "singlecwd" | "absolute";

/** The values of the option `tls`, which determine when TLS starts; see {@link FtpOptions.tls}. */
export type FtpTlsMode = "explicit" | "implicit" | "opportunistic";

/** The options of the scheme `ftp`. */
export interface FtpOptions {
  /**
   * The transfer type of URLs without `;type=` (RFC 1738 §3.2.3). `"a"` is text, `"i"` is binary, and `"guess"`
   * depends on the suffix of the name. Default `"guess"`.
   */
  readonly defaultTransferType?: "guess" | "a" | "i" | undefined;
  /**
   * The line ends of a text that the client receives in TYPE A. The value `"lf"` converts CR LF to LF, and `"crlf"`
   * leaves the CR LF that the server sends. Default `"lf"`: the receiver converts "the data from the standard form to
   * his own internal form" (RFC 959 §3.1.1.1).
   */
  readonly asciiNewlines?: "lf" | "crlf" | undefined;
  /**
   * The strategy by which CWD reaches the directory of a URL (RFC 1738 §3.2.2). `"multicwd"` sends one CWD for each
   * directory. `"singlecwd"` sends one CWD with all directories, separated by slashes. `"absolute"` sends one CWD with
   * the path from the server's root directory. `"adaptive"` tries multicwd, singlecwd and absolute in this order, and
   * stores the first accepted strategy for the server. Every resource has a property `cwdStrategy` with the strategy
   * that was used. Default `"multicwd"`.
   */
  readonly cwdStrategy?: CwdStrategy | "adaptive" | undefined;
  /**
   * The use of TLS on the control and data connections (RFC 4217). `"explicit"` requires TLS after the greeting.
   * `"implicit"` starts TLS with the first byte, usually on port 990, which `allowPorts` must allow. `"opportunistic"`
   * uses TLS on the connections for which the server supports it, and protects only against passive eavesdroppers.
   * Default: no TLS.
   */
  readonly tls?: FtpTlsMode | undefined;
  /** PEM certificates that the client trusts instead of the built-in certificates. */
  readonly ca?: string | readonly string[] | undefined;
  /**
   * Closes idle sessions after this time, in milliseconds. A session can be reused for URLs of the same server and
   * login. Default 15 000; 0 closes each session after its request. RFC 1738 §3.2.5.
   */
  readonly idleTimeoutMs?: number | undefined;
  /**
   * The interval of NOOP commands while a file or listing is received, in milliseconds. NOOP prevents the server from
   * closing the control connection as idle. Default 60 000; `Infinity` sends no NOOP.
   */
  readonly keepAliveIntervalMs?: number | undefined;
}

/** Options of one request. */
export interface FtpRequestOptions {
  /**
   * The transfer type that replaces the type of the URL: `"a"` text, `"i"` binary, `"d"` names in a directory. RFC
   * 1738 §3.2.2.
   */
  readonly type?: "a" | "i" | "d" | undefined;
}

export const FTP_SCHEME_OPTION_KINDS: OptionTable<FtpOptions> = {
  defaultTransferType: createEnumOptionKind("guess", "a", "i"),
  asciiNewlines: createEnumOptionKind("lf", "crlf"),
  cwdStrategy: createEnumOptionKind("multicwd", "singlecwd", "absolute", "adaptive"),
  tls: createEnumOptionKind("explicit", "implicit", "opportunistic"),
  ca: certificatesOptionKind,
  idleTimeoutMs: millisecondsOptionKind,
  keepAliveIntervalMs: positiveMillisecondsOptionKind,
};

export const FTP_REQUEST_OPTION_KINDS: OptionTable<FtpRequestOptions> = {
  type: createEnumOptionKind("a", "i", "d"),
};

/** The limits of a client that supports ftp URLs. */
export interface FtpLimits extends CoreLimits {
  /** The maximum number of directories in the path of a URL. Default 64. */
  readonly maxDirectoryDepth: number;
}

declare module "@anyscheme/core" {
  interface ClientLimits extends FtpLimits {}
}

/** The default values of the limits that the scheme ftp adds to a client. */
export const DEFAULT_FTP_LIMITS: Readonly<Record<Exclude<keyof FtpLimits, keyof CoreLimits>, number>> = {
  maxDirectoryDepth: 64,
};
