import {
  type OptionTable,
  createArrayOptionKind,
  createEnumOptionKind,
  createOptionsOptionKind,
  portOptionKind,
  stringOptionKind,
  createEitherOptionKind,
} from "@anyscheme/core/plugin";
import { NNTP_REQUEST_OPTION_KINDS, NNTP_SCHEME_OPTION_KINDS } from "../nntp/scheme-options.ts";
import type { NntpSchemeName, NntpOptions, NntpRequestOptions } from "../nntp/index.ts";

/** A news server in the options of the scheme news. */
export interface NewsServerSettings {
  readonly host: string;
  /**
   * The port of the news server. Default: the default port of the scheme nntp or nntps. If a port below 1024 is not the
   * default port, the policy must allow it for the scheme news or for the scheme of the server.
   */
  readonly port?: number | undefined;
  /**
   * The scheme with which the client connects to the news server. `"nntps"` uses TLS from the first byte on. Default
   * `"nntp"`.
   */
  readonly scheme?: NntpSchemeName | undefined;
  /**
   * A wildmat of the groups that are requested from this server (RFC 3977 §4). The last pattern that matches a group
   * decides, as in `"comp.*,!comp.binaries.*"`. Default `"*"`. A news URL of an article is requested from every
   * configured server, because the URL contains no group.
   */
  readonly groups?: string | undefined;
}

/** Options of the scheme news. The options of the scheme nntp apply to every news server. */
export interface NewsOptions extends NntpOptions {
  /**
   * The news servers, in the order in which the client tries them. A string designates the host of a server on port
   * 119. Default: none. The default limit `maxSteps` permits eight servers for an article, and five servers for a
   * group.
   */
  readonly servers?: readonly (string | NewsServerSettings)[] | undefined;
}

/** Options of a single request for a news URL. */
export type NewsRequestOptions = NntpRequestOptions;

const newsServerOption = createEitherOptionKind(
  stringOptionKind,
  createOptionsOptionKind(
    {
      host: stringOptionKind,
      port: portOptionKind,
      scheme: createEnumOptionKind("nntp", "nntps"),
      groups: stringOptionKind,
    },
    "{ host, port?, scheme?, groups? }",
  ),
);

export const NEWS_SCHEME_OPTION_KINDS: OptionTable<NewsOptions> = {
  ...NNTP_SCHEME_OPTION_KINDS,
  servers: createArrayOptionKind(newsServerOption, 'servers, as ["news.example"]'),
};

export const NEWS_REQUEST_OPTION_KINDS: OptionTable<NewsRequestOptions> = NNTP_REQUEST_OPTION_KINDS;
