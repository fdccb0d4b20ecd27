import { optionKinds as kind, type OptionTable } from "@anyscheme/core/plugin";
import { NNTP_REQUEST_OPTIONS, NNTP_OPTIONS } from "../nntp/options.ts";
import type { NntpRequestOptions, NntpName } from "../nntp/index.ts";

/** A news server. */
export interface NewsServer {
  readonly host: string;
  /** Default: the port of the scheme. The policy must allow other ports below 1024, for `news` or for that scheme. */
  readonly port?: number | undefined;
  /** `"nntps"` uses TLS from the first byte on. Default `"nntp"`. */
  readonly scheme?: NntpName | undefined;
  /**
   * A wildmat of the groups that are requested from this server (RFC 3977 §4): in `"comp.*,!comp.binaries.*"` the last pattern that
   * matches decides. Default `"*"`. An article is requested from every server, because its URL does not contain a group.
   */
  readonly groups?: string | undefined;
}

/** Options of the scheme news. */
export interface NewsOptions {
  /**
   * The servers in the order in which they are tried. A string is a server on port 119. Default: none. The default limit `maxSteps`
   * permits eight servers in the plan of an article, and five in that of a group.
   */
  readonly servers?: readonly (string | NewsServer)[] | undefined;
  /** As for the scheme nntp. Applies to every server of the scheme `"nntp"`. Default `"never"`. */
  readonly startTls?: "require" | "never" | undefined;
  /** PEM certificates trusted instead of the built-in ones. */
  readonly ca?: string | readonly string[] | undefined;
}

/** Options of one request. */
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
