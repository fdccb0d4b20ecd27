import type { Scheme } from "@anyscheme/core";
import { checkOptions, type Syntax } from "@anyscheme/core/plugin";
import { executeNewsPlan, type NewsResource } from "./execute-plan.ts";
import { DEFAULT_NNTP_LIMITS } from "../nntp/scheme-options.ts";
import { NNTP_DEFAULT_PORTS } from "../nntp/syntax.ts";
import {
  NEWS_REQUEST_OPTION_KINDS,
  NEWS_SCHEME_OPTION_KINDS,
  type NewsRequestOptions,
  type NewsOptions,
} from "./scheme-options.ts";
import { type NewsPlan, planNews } from "./plan.ts";
import { parseNewsServers } from "./news-servers.ts";
import {
  type NewsOrSnewsSchemeName,
  type NewsUrlBuildParts,
  newsSyntax,
  type NewsUrl,
  snewsSyntax,
} from "./syntax.ts";

type NewsScheme<Name extends NewsOrSnewsSchemeName> = Scheme<NewsUrl<Name>, NewsResource, NewsRequestOptions>;

/**
 * Returns the scheme news (RFC 1738 §3.6). A news URL without a server needs a server in the options: its plan throws
 * `unsupported` otherwise. Throws `TypeError` for an invalid server.
 */
export function news(options: NewsOptions = {}): NewsScheme<"news"> {
  return createNewsScheme("news", newsSyntax, options);
}

/**
 * Returns the scheme snews, for news over TLS from the first byte on (RFC 5538 §8.1). A URL without a server uses the
 * configured servers with the scheme nntps. Throws `TypeError` for an invalid server.
 */
export function snews(options: NewsOptions = {}): NewsScheme<"snews"> {
  return createNewsScheme("snews", snewsSyntax, options);
}

function createNewsScheme<Name extends NewsOrSnewsSchemeName>(
  name: Name,
  syntax: Syntax<NewsUrl<Name>, NewsUrlBuildParts>,
  options: NewsOptions,
): NewsScheme<Name> {
  checkOptions(name, options, NEWS_SCHEME_OPTION_KINDS);
  const { ca, servers = [] } = options;
  const configured = parseNewsServers(servers);
  return {
    name,
    syntax,
    portRange: "unprivileged",
    requestOptions: NEWS_REQUEST_OPTION_KINDS,
    limits: DEFAULT_NNTP_LIMITS,
    additionalProtocolPorts: NNTP_DEFAULT_PORTS,
    plan: (url, request) => planNews(url, request, options, configured),
    access: (plan, context) => executeNewsPlan(plan as NewsPlan<Name>, context, { ca }),
  };
}
