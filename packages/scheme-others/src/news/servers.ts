import { nntpsSyntax, nntpSyntax, type NntpUrl } from "../nntp/index.ts";
import type { NewsServer } from "./options.ts";
import type { NewsUrl } from "./syntax.ts";
import { matchesWildmat } from "./wildmat.ts";

/** A server, and what it is asked for. */
export interface ConfiguredServer {
  /** Without a group: the server as a whole. */
  readonly url: NntpUrl;
  readonly groups: string;
}

/** The servers of the options. Throws `TypeError` for one that is no server. */
export function parseServers(servers: readonly (string | NewsServer)[]): ConfiguredServer[] {
  return servers.map((server) => {
    const {
      host,
      port,
      scheme = "nntp",
      groups = "*",
    } = typeof server === "string" ? { host: server } : server;
    return { url: serverUrl(scheme, host, port === undefined ? "" : `:${port}`), groups };
  });
}

/**
 * The servers to ask for what a URL names, in their order. RFC 1738 §3.6: news URLs "are location-independent"; one that names a
 * server all the same (RFC 5538, in tolerant mode) is asked for there and nowhere else.
 */
export function serversFor(url: NewsUrl, known: readonly ConfiguredServer[]): NntpUrl[] {
  if (url.host !== "") return [serverUrl("nntp", url.host, url.port === undefined ? "" : `:${url.port}`)];
  const { group } = url;
  const suited =
    group === undefined || isPattern(group)
      ? known
      : known.filter(({ groups }) => matchesWildmat(group, groups));
  // Who is asked for all groups, or for any, comes before who is asked for some.
  const sorted = group === undefined && url.kind === "all" ? suited.toSorted(compareByGroups) : suited;
  return sorted.map((server) => server.url);
}

/** Whether the name of a group stands for many. RFC 3977 §4.1. */
export function isPattern(group: string): boolean {
  return /[*?,]/.test(group);
}

function compareByGroups(one: ConfiguredServer, other: ConfiguredServer): number {
  return Number(one.groups !== "*") - Number(other.groups !== "*");
}

function serverUrl(scheme: "nntp" | "nntps", host: string, port: string): NntpUrl {
  const syntax = scheme === "nntps" ? nntpsSyntax : nntpSyntax;
  const { url, fault } = syntax.tryParse(`${scheme}://${host}${port}/`);
  if (url?.group === undefined && url) return url;
  throw new TypeError(`${host}${port} is no news server${fault ? `: ${fault.code}` : ""}`);
}
