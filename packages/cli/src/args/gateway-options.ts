import type { GatewayRule, Gateways } from "@anyscheme/core/plugin";
import { UsageError } from "./command-line.ts";

const CONDITIONS: ReadonlySet<unknown> = new Set(["always", "unavailable", "unregistered"]);
const SCHEME = /^[A-Za-z0-9+.-]+$/;
const URL_PLACEHOLDER = /\{\+?url\}/;

/** The gateways of `--gateway SCHEME=LOCATOR[,WHEN]`, by scheme; the later of two goes. Throws `UsageError`. RFC 1738 §4. */
export function parseGateways(texts: readonly string[]): Gateways {
  return Object.fromEntries(
    texts.map((text) => {
      const [, scheme = "", rest = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
      const [, locator = rest, when = "always"] =
        /^(.*),(always|unavailable|unregistered)$/s.exec(rest) ?? [];
      const fault = findGatewayFault(scheme, { locator, when });
      if (fault !== undefined) throw new UsageError(`--gateway ${fault}`);
      return [scheme.toLowerCase(), { locator, when }];
    }),
  ) as Record<string, GatewayRule>;
}

/** What is wrong with a gateway, without the locator, which may hold a password. */
export function findGatewayFault(
  scheme: string,
  { locator, when }: Record<string, unknown>,
): string | undefined {
  if (!SCHEME.test(scheme)) return "needs a scheme and a locator, as in wais=http://gw.example/?url={url}";
  if (typeof locator !== "string" || !/^[A-Za-z0-9+.-]+:/.test(locator))
    return `for ${scheme} needs the URL of a gateway`;
  if (!URL_PLACEHOLDER.test(locator)) return `for ${scheme} needs {url} in its locator, where the URL goes`;
  if (/^[^:]+:\/\/[^/]*@/.test(locator)) return `for ${scheme} must not have a login in its locator`;
  if (when !== undefined && !CONDITIONS.has(when))
    return `for ${scheme} is used always, unavailable or unregistered`;
  return undefined;
}
