import { optionKinds as kind, type OptionTable } from "@anyscheme/core/plugin";

/** Options of the scheme nntp. */
export interface NntpOptions {
  /**
   * `"require"` starts TLS on every connection before the first request (RFC 4642), and fails with `unavailable` if the server does
   * not support it. Default `"never"`, which sends logins in clear text.
   */
  readonly startTls?: "require" | "never" | undefined;
  /** PEM certificates trusted instead of the built-in ones, for `startTls`. */
  readonly ca?: string | readonly string[] | undefined;
}

/** Options of the scheme nntps. */
export interface NntpsOptions {
  /** PEM certificates trusted instead of the built-in ones. */
  readonly ca?: string | readonly string[] | undefined;
}

/** Options of one request. */
export interface NntpRequestOptions {
  /**
   * The order of the articles of a group. `"newest-first"` begins with the highest number, and requests one range after the other,
   * as many as are read. Default `"oldest-first"`.
   */
  readonly order?: "oldest-first" | "newest-first" | undefined;
}

export const NNTPS_OPTIONS: OptionTable<NntpsOptions> = { ca: kind.certificates };

export const NNTP_OPTIONS: OptionTable<NntpOptions> = {
  ...NNTPS_OPTIONS,
  startTls: kind.oneOf("require", "never"),
};

export const NNTP_REQUEST_OPTIONS: OptionTable<NntpRequestOptions> = {
  order: kind.oneOf("oldest-first", "newest-first"),
};
