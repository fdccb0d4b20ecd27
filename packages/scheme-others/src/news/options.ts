import { optionKinds as kind, type OptionTable } from "@anyscheme/core/plugin";
import { NNTP_REQUEST_OPTIONS, NNTP_OPTIONS } from "../nntp/options.ts";
import type { NntpRequestOptions, NntpName } from "../nntp/index.ts";

/** A server that news are read from. */
export interface NewsServer {
  readonly host: string;
  /** Default: that of the scheme. Other ports below 1024 have to be allowed by the policy, for `news` or for that scheme. */
  readonly port?: number | undefined;
  /** `"nntps"` speaks TLS from the first byte on. Default `"nntp"`. */
  readonly scheme?: NntpName | undefined;
  /**
   * The groups that this server is asked for, as a wildmat (RFC 3977 §4): `"comp.*,!comp.binaries.*"`, where the last pattern that
   * fits decides. Default `"*"`. An article, which a URL names without its group, is asked for everywhere.
   */
  readonly groups?: string | undefined;
}

/** Options of the scheme news. */
export interface NewsOptions {
  /**
   * Asked in this order, until one has what is asked for. A name alone is a server on port 119. Default: none. The limit
   * `maxSteps` leaves room for eight of them in the plan for an article, for five in that for a group.
   */
  readonly servers?: readonly (string | NewsServer)[] | undefined;
  /** As for the scheme nntp, for every server of the scheme `"nntp"`. Default `"never"`. */
  readonly startTls?: "require" | "never" | undefined;
  /** PEM certificates trusted instead of the built-in ones. */
  readonly ca?: string | readonly string[] | undefined;
}

/** Options of one call. */
export type NewsRequestOptions = NntpRequestOptions;

const server = kind.either(
  kind.string,
  kind.options(
    { host: kind.string, port: kind.port, scheme: kind.oneOf("nntp", "nntps"), groups: kind.string },
    "{ host, port?, scheme?, groups? }",
  ),
);

export const NEWS_OPTIONS: OptionTable<NewsOptions> = {
  ...NNTP_OPTIONS,
  servers: kind.arrayOf(server, 'servers, as ["news.example"]'),
};

export const NEWS_REQUEST_OPTIONS: OptionTable<NewsRequestOptions> = NNTP_REQUEST_OPTIONS;
