import { domainToASCII } from "node:url";

/**
 * The host and port that a parser finds in a URL. An IPv6 host is stored without its brackets, and a missing host as
 * `""`.
 */
export interface ParsedHostAndPort {
  readonly host: string;
  /**
   * The port is `undefined` for a URL without a port. WHATWG parsers also omit the default port of http, https, ftp, ws
   * and wss.
   */
  readonly port: number | undefined;
}

/**
 * A URL parser of another standard (WHATWG or RFC 3986), which the tests compare with the project's parser. Returns
 * `undefined` for a text that the parser rejects.
 */
export interface ComparedUrlParser {
  readonly name: string;
  readonly readHostAndPort: (text: string) => ParsedHostAndPort | undefined;
}

/** Matches every text. RFC 3986, Appendix B. */
const URI_REFERENCE = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?/s;

/** `new URL`, and parsers of RFC 3986 that end the userinfo at the first or the last "@". */
export const WHATWG_AND_RFC3986_PARSERS: readonly ComparedUrlParser[] = [
  {
    name: "new URL",
    readHostAndPort(text) {
      const url = URL.parse(text);
      return url ? createHostAndPort(url.hostname, url.port) : undefined;
    },
  },
  // RFC 3986 allows a single "@" in the authority of a URL. Parsers disagree on which of several "@" ends the userinfo.
  { name: "RFC 3986, last @", readHostAndPort: (text) => readRfc3986HostAndPort(text, /^.*@/s) },
  { name: "RFC 3986, first @", readHostAndPort: (text) => readRfc3986HostAndPort(text, /^[^@]*@/) },
];

function readRfc3986HostAndPort(text: string, userinfo: RegExp): ParsedHostAndPort {
  const [, , authority = ""] = URI_REFERENCE.exec(text) ?? [];
  const [, host = "", port = ""] =
    /^(\[[^\]]*\]|.*?)(?::(\d*))?$/s.exec(authority.replace(userinfo, "")) ?? [];
  return createHostAndPort(host, port);
}

function createHostAndPort(host: string, port: string): ParsedHostAndPort {
  return { host: comparableHost(host), port: port === "" ? undefined : Number(port) };
}

/**
 * Returns a host without escapes, in lower case, with A-labels. The function writes an IPv6 address in the form of RFC
 * 5952.
 */
function comparableHost(written: string): string {
  const host = percentDecode(written);
  if (host.startsWith("["))
    return (URL.parse(`http://${host}/`)?.hostname ?? host).slice(1, -1).toLowerCase();
  if (/^[!-~]*$/.test(host)) return host.toLowerCase();
  return domainToASCII(host) || host.toLowerCase();
}

function percentDecode(host: string): string {
  try {
    return decodeURIComponent(host);
  } catch {
    return host;
  }
}
