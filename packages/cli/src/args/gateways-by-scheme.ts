import type { GatewayForScheme, GatewaysByScheme } from "@anyscheme/core/plugin";
import { UsageError } from "../errors/cli-errors.ts";
import { isSchemeName } from "../urls/guess-url.ts";

const GATEWAY_CONDITIONS: ReadonlySet<unknown> = new Set(["always", "unavailable", "unregistered"]);
const URL_PLACEHOLDER = /\{\+?url\}/;

/**
 * Parses the options `--gateway SCHEME=TEMPLATE[,WHEN]` (RFC 1738 §4). The last option for a scheme overrides the
 * earlier options. Throws `UsageError`.
 */
export function parseGatewaysByScheme(texts: readonly string[]): GatewaysByScheme {
  return Object.fromEntries(
    texts.map((text) => {
      const [, scheme = "", rest = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
      const [, urlTemplate = rest, when = "always"] =
        /^(.*),(always|unavailable|unregistered)$/s.exec(rest) ?? [];
      const fault = findUpstreamGatewayFault(scheme, { urlTemplate, when });
      if (fault !== undefined) throw new UsageError(`--gateway ${fault}`);
      return [scheme.toLowerCase(), { urlTemplate, when }];
    }),
  ) as Record<string, GatewayForScheme>;
}

/**
 * Returns a message that explains why a gateway is invalid, or undefined for a valid gateway. The message omits
 * the URL of the gateway, which may contain a password.
 */
export function findUpstreamGatewayFault(
  scheme: string,
  { urlTemplate, when }: Record<string, unknown>,
): string | undefined {
  if (!isSchemeName(scheme))
    return "needs a scheme and a URL template, as in wais=http://gw.example/?url={url}";
  if (typeof urlTemplate !== "string" || !/^[A-Za-z0-9+.-]+:/.test(urlTemplate))
    return `for ${scheme} needs the URL of a gateway`;
  if (!URL_PLACEHOLDER.test(urlTemplate)) return `for ${scheme} needs {url} in its URL template`;
  if (/^[^:]+:\/\/[^/]*@/.test(urlTemplate)) return `for ${scheme} must not have a login in its URL template`;
  if (when !== undefined && !GATEWAY_CONDITIONS.has(when))
    return `for ${scheme} needs one of always, unavailable or unregistered as its condition`;
  return undefined;
}
