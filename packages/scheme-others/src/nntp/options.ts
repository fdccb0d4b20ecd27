import { optionKinds as kind, type OptionTable } from "@anyscheme/core/plugin";

/** Options of the scheme nntp. */
export interface NntpOptions {
  /**
   * Whether every connection starts TLS before anything is asked (RFC 4642): `"require"` it, and fail with `unavailable` where the
   * server does not have it, or `"never"`. Default `"never"`; a login then goes out in clear text.
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

/** Options of one call. */
export interface NntpRequestOptions {
  /**
   * The order of the articles of a group: by rising number, or from the highest one down, which asks for one range after the
   * other, as many as are read. Default `"oldest-first"`.
   */
  readonly order?: "oldest-first" | "newest-first" | undefined;
}

export const NNTPS_OPTIONS: OptionTable<NntpsOptions> = { ca: kind.certificates };

export const NNTP_OPTIONS: OptionTable<NntpOptions> = {
  ...NNTPS_OPTIONS,
  startTls: kind.oneOf("require", "never"),
};

export const NNTP_CALL_OPTIONS: OptionTable<NntpRequestOptions> = {
  order: kind.oneOf("oldest-first", "newest-first"),
};
