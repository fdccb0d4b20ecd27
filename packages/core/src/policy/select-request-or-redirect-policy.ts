import { isPrivateAddress } from "./ip-address.ts";
import type { Policy } from "./policy.ts";

/**
 * The kind of network that a server is in: `"private"` is a private network or this machine, and `"public"` is the
 * public Internet.
 */
export type NetworkKind = "private" | "public";

/**
 * The input of `selectRequestOrRedirectPolicy`: the policy of the request, and the side that named the target of the
 * connection.
 */
export interface PolicySelectionInput {
  readonly requestPolicy: Policy;
  /**
   * The side that named the target of the connection. `"caller"`: the target is in the caller's URL or gateway.
   * `"server"`: a server has sent the URL or address.
   */
  readonly targetNamedBy: "caller" | "server";
  /** The network kind (private or public) of the server that has sent the redirect URL or address. */
  readonly referringServerNetwork?: NetworkKind | undefined;
}

/**
 * Returns the policy that applies to the port, host name and address of a connection. A table in SECURITY.md states
 * when the policy of the request or the policy for redirects applies. `peer` is the network kind of the server, and
 * `undefined` before the host name is looked up. For an unknown peer, the function returns the policy for a private
 * peer. The guard applies the rules for port and name again when the peer is known.
 */
export function selectRequestOrRedirectPolicy(
  { requestPolicy, targetNamedBy, referringServerNetwork }: PolicySelectionInput,
  peer: NetworkKind | undefined,
): Policy {
  if (targetNamedBy === "caller" || requestPolicy.redirectPolicy === undefined) return requestPolicy;
  return referringServerNetwork === "private" && peer !== "public"
    ? requestPolicy
    : requestPolicy.redirectPolicy;
}

/** Returns the network kind of a server with the given addresses: `"private"` only when all addresses are private. */
export function getNetworkKindOfAddresses(addresses: readonly string[]): NetworkKind {
  return addresses.length > 0 && addresses.every(isPrivateAddress) ? "private" : "public";
}

/**
 * Returns the network kind of the previous servers and a further server together: `"public"` when any of the servers is
 * public.
 */
export function publicIfAnyServerIsPublic(
  before: NetworkKind | undefined,
  further: NetworkKind,
): NetworkKind {
  return before === "public" ? "public" : further;
}
