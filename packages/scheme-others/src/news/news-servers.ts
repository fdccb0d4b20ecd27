import { nntpsSyntax, nntpSyntax, type NntpUrl } from "../nntp/index.ts";
import type { NewsServerSettings } from "./scheme-options.ts";
import type { NewsUrl } from "./syntax.ts";

/** A news server that the caller has configured. */
export interface ConfiguredNewsServer {
  /** The nntp URL of the news server, without a group. */
  readonly url: NntpUrl;
  readonly groups: string;
}

/** Parses the servers in the options of the scheme news. Throws `TypeError` for an invalid host or port. */
export function parseNewsServers(servers: readonly (string | NewsServerSettings)[]): ConfiguredNewsServer[] {
  return servers.map((server) => {
    const {
      host,
      port,
      scheme = "nntp",
      groups = "*",
    } = typeof server === "string" ? { host: server } : server;
    return { url: parseNewsServerUrl(scheme, host, port === undefined ? "" : `:${port}`), groups };
  });
}

/**
 * Returns the news servers for a URL, in the order in which the client tries them. RFC 1738 §3.6: news URLs "are
 * location-independent". A URL with a server is requested only from that server (RFC 5538 §4, in modern mode). A snews
 * URL is requested only over TLS from the first byte on.
 */
export function selectNewsServers(url: NewsUrl, configured: readonly ConfiguredNewsServer[]): NntpUrl[] {
  const { group, host, port, scheme } = url;
  const isTls = scheme === "snews";
  if (host !== "") return [parseNewsServerUrl(isTls ? "nntps" : "nntp", host, port ? `:${port}` : "")];
  const permitted = isTls ? configured.filter((server) => server.url.scheme === "nntps") : configured;
  const matching =
    group === undefined ? permitted : permitted.filter(({ groups }) => includesGroups(groups, group));
  // For `news:*`, servers whose option `groups` is "*" precede the other servers.
  const sorted =
    group === undefined && url.kind === "all" ? matching.toSorted(compareServersByGroups) : matching;
  // If no server has all groups that match a pattern such as "*.test", each server may have some of these groups.
  const selected = sorted.length === 0 && isNewsgroupPattern(group) ? permitted : sorted;
  return selected.map((server) => server.url);
}

/**
 * True when the wildmat of a server includes a group, or all groups that match a pattern. A "*" or "?" in the pattern
 * is compared as a character, which only a "*" or "?" of the wildmat matches.
 */
function includesGroups(wildmat: string, groupOrPattern: string): boolean {
  const patterns = groupOrPattern.split(",").filter((pattern) => !pattern.startsWith("!"));
  return patterns.every((pattern) => matchesWildmat(pattern, wildmat));
}

/** True for a wildmat that can match several groups (RFC 3977 §4.1). */
export function isNewsgroupPattern(group: string | undefined): boolean {
  return group !== undefined && /[*?,]/.test(group);
}

function compareServersByGroups(one: ConfiguredNewsServer, other: ConfiguredNewsServer): number {
  return Number(one.groups !== "*") - Number(other.groups !== "*");
}

function parseNewsServerUrl(scheme: "nntp" | "nntps", host: string, port: string): NntpUrl {
  const syntax = scheme === "nntps" ? nntpsSyntax : nntpSyntax;
  const { url, fault } = syntax.tryParse(`${scheme}://${host}${port}/`);
  if (url?.group === undefined && url) return url;
  throw new TypeError(`the news server "${host}${port}" is invalid${fault ? `: ${fault.code}` : ""}`);
}

/**
 * Matches the name of a newsgroup against a wildmat (RFC 3977 §4). The last pattern of the wildmat that matches the
 * name decides the result. The result is false if "!" precedes this pattern of the wildmat.
 */
export function matchesWildmat(name: string, wildmat: string): boolean {
  const patterns = wildmat.split(",").map((pattern) => pattern.trim());
  const last = patterns.findLast((pattern) => matchesWildmatPattern(name, pattern.replace(/^!/, "")));
  return last !== undefined && !last.startsWith("!");
}

/**
 * Matches a newsgroup name against a pattern, with "*" as any characters and "?" as a single character. The number of
 * comparisons is at most the product of the lengths of name and pattern, because only the last "*" backtracks.
 */
function matchesWildmatPattern(name: string, pattern: string): boolean {
  let at = 0;
  let place = 0;
  let star = -1;
  let resume = 0;
  while (at < name.length) {
    if (pattern[place] === "*") {
      star = place++;
      resume = at;
    } else if (place < pattern.length && (pattern[place] === "?" || pattern[place] === name[at])) {
      place++;
      at++;
    } else if (star >= 0) {
      place = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(place));
}
