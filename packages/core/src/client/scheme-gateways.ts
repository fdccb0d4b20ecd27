import { AccessError } from "../errors/access-error.ts";
import { percentEncode, type InternetUrl, type Url, UrlSyntaxError } from "../syntax/index.ts";
import type { SchemeRegistry } from "./registry.ts";

/** The cases in which a gateway is used for the URLs of a scheme. */
export type WhenToUseSchemeGateway = "always" | "unavailable" | "unregistered";

export interface GatewayForScheme {
  /**
   * The URL of the gateway, as in `http://gw.example/?url={url}`. `{url}` is replaced by the percent-encoded URL,
   * `{+url}` by the URL without further encoding. The placeholders `{url}` and `{+url}` may stand in the path and in
   * the query of the gateway's URL.
   *
   * With `{+url}`, a URL that could change another part of the gateway's URL throws `refused-redirect`. Such a URL has
   * `#` or `\`, dot segments in the path (also encoded, as in `..%2f`, or before a parameter, as in `..;a`), `&` or `;`
   * in a parameter of the query, or `?` before further text.
   */
  readonly urlTemplate: string;
  /**
   * The case in which the gateway is used for a URL. With `"unavailable"`, the gateway is used when a request to the
   * URL's own server fails with `unavailable` or `timeout`. With `"unregistered"`, the gateway is used when the client
   * has no scheme for the URL. Default `"always"`.
   */
  readonly when?: WhenToUseSchemeGateway | undefined;
}

/** Gateways by scheme. A string is the URL template of a gateway that is always used. RFC 1738 §4. */
export type GatewaysByScheme = Readonly<Record<string, string | GatewayForScheme>>;

export interface UpstreamGatewayUrlBuilder {
  readonly when: WhenToUseSchemeGateway;
  /**
   * Returns the URL of the request to the gateway, which contains the given URL. Throws `refused-redirect` for a URL
   * with a login.
   */
  toGatewayUrl(url: Url): Url;
}

const URL_PLACEHOLDER = /\{(\+?)url\}/g;

/**
 * Matches the part of a gateway's URL before its path or query. A `{url}` before the path or query could change the
 * host of the gateway.
 */
const URL_AUTHORITY = /^[^:/?#]+:\/\/[^/?#]*[/?]/;

/**
 * Matches a path segment that a client or a server removes, also before a path parameter (`..;x`). The dots and
 * delimiters of a dot segment can be percent-encoded once or several times, because some servers decode the path before
 * they split it. RFC 3986 §5.2.4, <https://url.spec.whatwg.org/#dot-path-segment>
 */
const DOT_SEGMENT = /(?:[/\\]|%(?:25)*(?:2f|5c))(?:\.|%(?:25)*2e){1,2}(?=[/\\;]|%(?:25)*(?:2f|5c|3b)|$)/i;

/**
 * Creates the gateways of a client. Throws `TypeError` for a URL template without `{url}`, a placeholder outside path
 * and query, an invalid URL, a login, and an unregistered scheme.
 */
export function createUpstreamGatewayUrlBuilders(
  gateways: GatewaysByScheme,
  registry: SchemeRegistry,
): ReadonlyMap<string, UpstreamGatewayUrlBuilder> {
  const byName = new Map<string, UpstreamGatewayUrlBuilder>();
  for (const [name, given] of Object.entries(gateways)) {
    const { urlTemplate, when = "always" } = typeof given === "string" ? { urlTemplate: given } : given;
    const expandTemplate = (url: string): Url => {
      const text = urlTemplate.replace(URL_PLACEHOLDER, (placeholder, plain: string, offset: number) => {
        if (!plain) return percentEncode(url);
        rejectChangedGatewayUrl(url, {
          before: urlTemplate.slice(0, offset),
          after: urlTemplate.slice(offset + placeholder.length),
        });
        return url;
      });
      const result = registry.getSyntax(text.slice(0, text.indexOf(":"))).tryParse(text);
      if (result.fault) throw new UrlSyntaxError(result.fault);
      return result.url;
    };
    checkUrlTemplate(name, urlTemplate, expandTemplate, registry);
    byName.set(name.toLowerCase(), {
      when,
      toGatewayUrl(url) {
        rejectUrlWithLogin(url);
        return expandTemplate(registry.getSyntax(url.scheme).format(url));
      },
    });
  }
  return byName;
}

function checkUrlTemplate(
  name: string,
  urlTemplate: string,
  expandTemplate: (url: string) => Url,
  registry: SchemeRegistry,
): void {
  const wrong = (what: string, shown = `: ${urlTemplate}`): never => {
    throw new TypeError(`the gateway for ${name} ${what}${shown}`);
  };
  const offset = urlTemplate.search(URL_PLACEHOLDER);
  if (offset < 0) wrong("has a URL template without {url}");
  let gatewayUrl: Url;
  try {
    gatewayUrl = expandTemplate("x-example:");
  } catch (error) {
    return wrong(`has a URL template that is not a URL (${(error as Error).message})`);
  }
  if (!registry.findScheme(gatewayUrl.scheme))
    wrong(`has a URL template of the scheme ${gatewayUrl.scheme}, which is not registered`);
  const beforePlaceholder = urlTemplate.slice(0, offset);
  const isInPathOrQuery = "host" in gatewayUrl ? URL_AUTHORITY.test(beforePlaceholder) : true;
  if (!isInPathOrQuery || urlTemplate.slice(0, urlTemplate.lastIndexOf("url}")).includes("#"))
    wrong("has {url} outside the path and the query");
  if ((gatewayUrl as Partial<InternetUrl>).user !== undefined) wrong("has a login in its urlTemplate", "");
}

/**
 * Throws `refused-redirect` for a URL whose text would change another part of the gateway's URL. This check is
 * necessary because an attacker may have chosen the URL that is inserted into the gateway's URL.
 */
function rejectChangedGatewayUrl(
  url: string,
  { before, after }: { readonly before: string; readonly after: string },
): void {
  const [path = ""] = url.split("?", 1);
  const isInQuery = before.includes("?");
  const isOwnParameter = isInQuery && (!before.endsWith("?") || after !== "");
  const [found] =
    (/[#\\]/.exec(url) ?? (isOwnParameter && /[&;]/.exec(url))) ||
    (!isInQuery && after !== "" && /\?/.exec(url)) ||
    [];
  const what = found ? `"${found}"` : !isInQuery && DOT_SEGMENT.test(path) ? "a dot segment" : undefined;
  if (what === undefined) return;
  const advice = "write {url} in place of {+url} in the URL template of the gateway";
  throw new AccessError("refused-redirect", `a URL with ${what} would change the URL of the gateway`, {
    advice,
  });
}

/** Throws an error for a URL with a login, because a gateway must not receive a login for another server. */
function rejectUrlWithLogin(url: Url): void {
  const { user, password } = url as Partial<InternetUrl>;
  // `String(url)` also masks a password in a URL without an authority, as in x:joe:secret@h.
  if (user === undefined && password === undefined && String(url) === url.href) return;
  const advice = "dereference the URL without the gateway, or remove the login";
  throw new AccessError("refused-redirect", "a URL with a login is not sent to a gateway", { advice });
}
