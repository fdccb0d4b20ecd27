import { domainToASCII } from "node:url";

/** The host and port that a parser reads. An IPv6 host has no brackets. A missing host is `""`. */
export interface Endpoint {
  readonly host: string;
  /**
   * The port is `undefined` for a URL without a port. WHATWG parsers also omit the default port of http, https, ftp, ws
   * and wss.
   */
  readonly port: number | undefined;
}

/** A parser of another standard. Returns `undefined` for a text that the parser rejects. */
export interface ComparedUrlParser {
  readonly name: string;
  readonly readEndpoint: (text: string) => Endpoint | undefined;
}

/** Matches every text. RFC 3986, Appendix B. */
const URI_REFERENCE = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?/s;

/** The parsers that the dialled host is compared with. */
export const WHATWG_AND_RFC3986_PARSERS: readonly ComparedUrlParser[] = [
  {
    name: "new URL",
    readEndpoint(text) {
      const url = URL.parse(text);
      return url ? createEndpoint(url.hostname, url.port) : undefined;
    },
  },
  // RFC 3986 allows a single "@". Parsers disagree on which of several "@" ends the userinfo.
  { name: "RFC 3986, last @", readEndpoint: (text) => readRfc3986Endpoint(text, /^.*@/s) },
  { name: "RFC 3986, first @", readEndpoint: (text) => readRfc3986Endpoint(text, /^[^@]*@/) },
];

function readRfc3986Endpoint(text: string, userinfo: RegExp): Endpoint {
  const [, , authority = ""] = URI_REFERENCE.exec(text) ?? [];
  const [, host = "", port = ""] =
    /^(\[[^\]]*\]|.*?)(?::(\d*))?$/s.exec(authority.replace(userinfo, "")) ?? [];
  return createEndpoint(host, port);
}

function createEndpoint(host: string, port: string): Endpoint {
  return { host: comparableHost(host), port: port === "" ? undefined : Number(port) };
}

/** Returns a host without escapes, in lower case, with A-labels. An IPv6 address has the form of RFC 5952. */
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
