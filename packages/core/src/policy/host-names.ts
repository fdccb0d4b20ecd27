import type { Policy } from "./policy.ts";

/**
 * The top-level domains whose host names are not public. Sources: RFC 6761, RFC 6762, RFC 7686, RFC 8375, and ICANN's
 * `.internal` of 2024.
 */
const PRIVATE_TOP_LABELS: ReadonlySet<string> = new Set(["localhost", "local", "internal", "arpa", "onion"]);

/**
 * Matches a host name that the URL parser accepts. A resolver may read other texts as an IP address, for example
 * `127.1`.
 */
const PARSABLE_HOST_NAME = /^(?:[a-z0-9_-]+\.)*[a-z_][a-z0-9_-]*$/;

/**
 * Applies the policy's rule for host names. Returns the reason why a host name is refused, or `undefined`. Every policy
 * refuses a host name that is too long for the DNS (RFC 1035 §2.3.4).
 */
export function findHostNameRefusal(host: string, policy: Policy): string | undefined {
  const labels = host.replace(/\.$/, "").toLowerCase().split(".");
  if (host.length > 255 || labels.some((label) => label.length > 63))
    return "the host name is too long for the DNS";
  if (!PARSABLE_HOST_NAME.test(labels.join(".")))
    return "the host is neither a domain name nor an IP address";
  if (policy.addressScope === "any" || policy.allowNames.some((matches) => matches(host))) return undefined;
  if (labels.length === 1) return "a host name without a dot is local";
  const top = labels.at(-1) ?? "";
  return PRIVATE_TOP_LABELS.has(top) ? `host names under .${top} are not public` : undefined;
}
