import type { Scheme } from "@anyscheme/core";
import { checkOptions } from "@anyscheme/core/plugin";
import { accessNews, type NewsResource } from "./access.ts";
import { NNTP_LIMITS } from "../nntp/options.ts";
import { DEFAULT_PORTS } from "../nntp/syntax.ts";
import { NEWS_REQUEST_OPTIONS, NEWS_OPTIONS, type NewsRequestOptions, type NewsOptions } from "./options.ts";
import { type NewsPlan, planNews } from "./plan.ts";
import { parseNewsServers } from "./servers.ts";
import { newsSyntax, type NewsUrl } from "./syntax.ts";

/**
 * Returns the scheme news (RFC 1738 §3.6). Every plan throws `unsupported` if no server is configured. Throws
 * `TypeError` for an invalid server.
 */
export function news(options: NewsOptions = {}): Scheme<NewsUrl, NewsResource, NewsRequestOptions> {
  checkOptions("news", options, NEWS_OPTIONS);
  const { ca, servers = [] } = options;
  const configured = parseNewsServers(servers);
  return {
    name: "news",
    syntax: newsSyntax,
    speaksFirst: "server",
    requestOptions: NEWS_REQUEST_OPTIONS,
    limits: NNTP_LIMITS,
    protocols: DEFAULT_PORTS,
    plan: (url, request) => planNews(url, request, options, configured),
    access: (plan, context) => accessNews(plan as NewsPlan, context, { ca }),
  };
}
