import type { Policy } from "./policy.ts";

/**
 * Top-level names that are not public. Sources: RFC 6761, RFC 6762, RFC 7686, RFC 8375, and ICANN's `.internal` of
 * 2024.
 */
const PRIVATE_TOP_LABELS: ReadonlySet<string> = new Set(["localhost", "local", "internal", "arpa", "onion"]);

/** Matches a name that the URL parser accepts. A resolver may read other texts as an address, for example `127.1`. */
const NAME = /^(?:[a-z0-9_-]+\.)*[a-z_][a-z0-9_-]*$/;

/**
 * Applies the name rule. Returns the reason of a refusal, or `undefined`. A name that is too long for the DNS (RFC 1035 §2.3.4) is
 * refused under every policy.
 */
export function findNameRefusal(host: string, policy: Policy): string | undefined {
  const labels = host.replace(/\.$/, "").toLowerCase().split(".");
  if (host.length > 255 || labels.some((label) => label === "" || label.length > 63))
    return "the name is too long for the DNS";
  if (!NAME.test(labels.join("."))) return "it is neither a domain name nor an address";
  if (policy.addressScope === "any" || policy.allowNames.some((matches) => matches(host))) return undefined;
  if (labels.length === 1) return "a name without a dot is local";
  const top = labels.at(-1) ?? "";
  return PRIVATE_TOP_LABELS.has(top) ? `names under .${top} are not public` : undefined;
}
