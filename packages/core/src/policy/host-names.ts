import type { Policy } from "./policy.ts";

/** Names that never lead to the public Internet: RFC 6761, RFC 6762, RFC 7686, RFC 8375, and ICANN's `.internal` of 2024. */
const PRIVATE_TOP_LABELS: ReadonlySet<string> = new Set(["localhost", "local", "internal", "arpa", "onion"]);

/** A name as the parser lets it through: a resolver may take anything else for an address, `127.1` for example. */
const NAME = /^(?:[a-z0-9_-]+\.)*[a-z_][a-z0-9_-]*$/;

/**
 * The name rule: why a name is refused, or `undefined`. A name that the DNS cannot hold (RFC 1035 §2.3.4) is refused under
 * every policy.
 */
export function nameRefusal(host: string, policy: Policy): string | undefined {
  const labels = host.replace(/\.$/, "").toLowerCase().split(".");
  if (host.length > 255 || labels.some((label) => label === "" || label.length > 63))
    return "the name is too long for the DNS";
  if (!NAME.test(labels.join("."))) return "it is neither a domain name nor an address";
  if (policy.addressScope === "any" || policy.allowNames.some((allows) => allows(host))) return undefined;
  if (labels.length === 1) return "a name without a dot is local";
  const top = labels.at(-1) ?? "";
  return PRIVATE_TOP_LABELS.has(top) ? `names under .${top} are not public` : undefined;
}
