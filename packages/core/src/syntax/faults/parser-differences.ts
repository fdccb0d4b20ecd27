import { hostForLookup } from "../host.ts";
import type { InternetUrl } from "../internet-url.ts";
import { percentDecodeText } from "../characters/percent-encoding.ts";
import { removeDotSegments } from "../reference.ts";

/**
 * The parts of a URL that a parser of another standard reads differently. A part of the URL that both parsers read in
 * the same way is absent. If the host differs, the port is absent, because the other parser may read a part of the
 * login as the port.
 */
export interface ParserDifference {
  readonly parser: "RFC 3986" | "WHATWG URL";
  /**
   * The host. For a URL with a password, `host` is also present when only the port differs, because the port may be
   * secret.
   */
  readonly host?: string;
  readonly port?: number;
  /** The path and query that an http client with this parser sends. */
  readonly requestTarget?: string;
}

/** The host, port and request target that one URL parser reads in a URL. */
type ParsedTarget = Required<Omit<ParserDifference, "parser">>;

// scheme ":" [ "//" authority ] path [ "?" query ]            RFC 3986, Appendix B
const uriReference = /^[^:/?#]+:(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?/;
// host [ ":" port ]            RFC 3986 §3.2
const hostAndPort = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/s;
// A character that no URI contains in its path or query, or a "%" that begins no escape. RFC 3986 §3.3, §3.4
const characterOutsideUris = /[^!#-;=?-Z_a-z~]|%(?![0-9A-Fa-f]{2})/;

/** A URL, with `requestTarget` if its scheme sends a request target, such as http. */
type UrlWithRequestTarget = InternetUrl & { readonly requestTarget?: string };

/**
 * Returns the parts of the URL that parsers of other standards read differently. The result has no entry for a parser
 * that rejects the text.
 */
export function findParserDifferences(
  url: UrlWithRequestTarget,
  defaultPort: number = 0,
): ParserDifference[] {
  const own: ParsedTarget = {
    host: url.effectiveHost,
    port: url.effectivePort,
    requestTarget: url.requestTarget ?? "",
  };
  return [
    ...describeParserDifference(url, own, "RFC 3986", parseAsRfc3986(url, defaultPort)),
    ...describeParserDifference(url, own, "WHATWG URL", parseAsWhatwgUrl(url, defaultPort)),
  ];
}

function describeParserDifference(
  { password }: UrlWithRequestTarget,
  own: ParsedTarget,
  parser: ParserDifference["parser"],
  other: ParsedTarget | undefined,
): ParserDifference[] {
  if (!other) return [];
  const hasOtherPort = other.port !== own.port;
  const hasOtherHost = other.host !== own.host || (hasOtherPort && password !== undefined);
  const difference: ParserDifference = {
    parser,
    ...(hasOtherHost ? { host: other.host } : {}),
    ...(hasOtherPort && !hasOtherHost ? { port: other.port } : {}),
    ...(other.requestTarget === own.requestTarget || own.requestTarget === ""
      ? {}
      : { requestTarget: other.requestTarget }),
  };
  return Object.keys(difference).length > 1 ? [difference] : [];
}

function parseAsRfc3986(url: UrlWithRequestTarget, defaultPort: number): ParsedTarget | undefined {
  const [, authority = "", path = "", query = ""] = uriReference.exec(url.href) ?? [];
  const [, host = "", port = ""] = hostAndPort.exec(authority.slice(authority.lastIndexOf("@") + 1)) ?? [];
  return {
    host: comparableHost(host, url),
    port: port === "" ? defaultPort : Number(port),
    // RFC 3986 defines no encoding of characters that a URI must not contain.
    requestTarget: characterOutsideUris.test(path + query)
      ? (url.requestTarget ?? "")
      : removeDotSegments(path) + query,
  };
}

function parseAsWhatwgUrl(url: UrlWithRequestTarget, defaultPort: number): ParsedTarget | undefined {
  const read = URL.parse(url.href);
  if (!read) return undefined;
  // In the class `URL`, the property `search` does not contain the "?" of an empty query.
  const query = read.search || (/^[^#]*\?(?:#|$)/.test(read.href) ? "?" : "");
  return {
    host: comparableHost(read.hostname, url),
    port: read.port === "" ? defaultPort : Number(read.port),
    requestTarget: read.pathname + query,
  };
}

/** Returns a host in the form of `InternetUrl.effectiveHost`. */
function comparableHost(host: string, url: InternetUrl): string {
  if (host === "" && url.effectiveHost === "localhost") return "localhost";
  return hostForLookup(percentDecodeText(host));
}
