import type { CoreLimits } from "@anyscheme/core";
import { type OptionTable, certificatesOptionKind, createEnumOptionKind } from "@anyscheme/core/plugin";

/** Options of the scheme nntps. */
export interface NntpsOptions {
  /** PEM certificates that replace the built-in trusted certificates. */
  readonly ca?: string | readonly string[] | undefined;
}

/** Options of the scheme nntp. */
export interface NntpOptions extends NntpsOptions {
  /**
   * `"require"` starts TLS on every connection before the first request (RFC 4642). The request fails if the server
   * refuses STARTTLS, for example with `unsupported` after the reply 500. Default `"never"`, which sends logins in
   * clear text.
   */
  readonly startTls?: "require" | "never" | undefined;
}

/** Options of a single request to a news server. */
export interface NntpRequestOptions {
  /**
   * The order of the articles of a group. `"newest-first"` begins with the highest article number, and requests a range
   * only when the caller reads its articles. Default `"oldest-first"`.
   */
  readonly order?: "oldest-first" | "newest-first" | undefined;
}

export const NNTPS_SCHEME_OPTION_KINDS: OptionTable<NntpsOptions> = { ca: certificatesOptionKind };

export const NNTP_SCHEME_OPTION_KINDS: OptionTable<NntpOptions> = {
  ...NNTPS_SCHEME_OPTION_KINDS,
  startTls: createEnumOptionKind("require", "never"),
};

export const NNTP_REQUEST_OPTION_KINDS: OptionTable<NntpRequestOptions> = {
  order: createEnumOptionKind("oldest-first", "newest-first"),
};

/** The limits of a client with the scheme nntp. */
export interface NntpLimits extends CoreLimits {
  /**
   * The maximum length of a line of an NNTP reply, list or overview, in bytes. The length of the lines of an article is
   * not limited. Default 8 192.
   */
  readonly maxNntpLineBytes: number;
}

declare module "@anyscheme/core" {
  interface ClientLimits extends NntpLimits {}
}

/** The limits that the scheme nntp declares. */
export const DEFAULT_NNTP_LIMITS: Readonly<Record<Exclude<keyof NntpLimits, keyof CoreLimits>, number>> = {
  maxNntpLineBytes: 8_192,
};
