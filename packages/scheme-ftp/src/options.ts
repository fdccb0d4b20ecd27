import { optionKinds as kind, type OptionTable } from "@anyscheme/core/plugin";

/** How the directories of a URL are walked; see {@link FtpOptions.cwdStrategy}. */
export type CwdStrategy = "multicwd" | "singlecwd" | "absolute";

/** When TLS begins; see {@link FtpOptions.tls}. */
export type FtpTls = "explicit" | "implicit" | "opportunistic";

/** Options of the scheme. */
export interface FtpOptions {
  /**
   * The type of transfer for URLs without `;type=` (RFC 1738 §3.2.3): `"guess"` it from the suffix of the name, or always
   * `"a"` (text) or `"i"` (as it is). Default `"guess"`.
   */
  readonly defaultTransferType?: "guess" | "a" | "i" | undefined;
  /**
   * How the lines of text end that comes in a transfer of type `a`: `"lf"` or, as on the wire, `"crlf"`. Default `"lf"`: the
   * receiver converts "the data from the standard form to his own internal form" (RFC 959 §3.1.1.1).
   */
  readonly asciiNewlines?: "lf" | "crlf" | undefined;
  /**
   * How the directories of a URL are walked (RFC 1738 §3.2.2): `"multicwd"`, one CWD for each; `"singlecwd"`, one CWD with all of
   * them, separated by slashes; `"absolute"`, the same from the root of the server on; `"adaptive"`, the next of these when the
   * server refuses one, which is remembered for this server. Every resource tells by `walk` how it was reached. Default `"multicwd"`.
   */
  readonly cwdStrategy?: CwdStrategy | "adaptive" | undefined;
  /**
   * TLS on both connections (RFC 4217): `"explicit"`, after the greeting, or there is no access; `"implicit"`, from the first
   * byte, usually on port 990, which `allowPorts` has to allow; `"opportunistic"`, where the server offers it: protects from
   * those who listen, not from those who answer in place of the server. Default: none.
   */
  readonly tls?: FtpTls | undefined;
  /** PEM certificates trusted instead of the built-in ones. */
  readonly ca?: string | readonly string[] | undefined;
  /**
   * How long a connection waits for a further URL of the same server and login, in milliseconds. 0 closes each one at the end
   * of its access. Default 15 000. RFC 1738 §3.2.5.
   */
  readonly idleTimeoutMs?: number | undefined;
  /**
   * How often a NOOP goes out while bytes flow, so that nobody takes the control connection for dead, in milliseconds.
   * `Infinity` sends none. Default 60 000.
   */
  readonly keepAliveIntervalMs?: number | undefined;
}

/** Options of one call. */
export interface FtpRequestOptions {
  /** Instead of what the URL says: `"a"` text, `"i"` as it is, `"d"` the names in a directory. RFC 1738 §3.2.2. */
  readonly type?: "a" | "i" | "d" | undefined;
}

export const FTP_OPTIONS: OptionTable<FtpOptions> = {
  defaultTransferType: kind.oneOf("guess", "a", "i"),
  asciiNewlines: kind.oneOf("lf", "crlf"),
  cwdStrategy: kind.oneOf("multicwd", "singlecwd", "absolute", "adaptive"),
  tls: kind.oneOf("explicit", "implicit", "opportunistic"),
  ca: kind.certificates,
  idleTimeoutMs: kind.duration,
  keepAliveIntervalMs: kind.timeout,
};

export const FTP_REQUEST_OPTIONS: OptionTable<FtpRequestOptions> = { type: kind.oneOf("a", "i", "d") };
