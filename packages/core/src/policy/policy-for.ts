import { isPrivateAddress } from "./ip-address.ts";
import type { Policy } from "./policy.ts";

/**
 * The location of a server. `"private"` is a private network or this machine, and `"public"` is the public Internet.
 */
export type AddressScope = "private" | "public";

/** The part of a connection's history that determines its policy. */
export interface ConnectionOrigin {
  /** The policy of the request. */
  readonly policy: Policy;
  /**
   * The side that named the target. `"caller"`: the caller's URL or gateway. `"server"`: a URL or address from a
   * server.
   */
  readonly namedBy: "caller" | "server";
  /** The scope of the server that has named the URL or address. */
  readonly serverScope?: AddressScope | undefined;
}

/**
 * Returns the policy of a connection, for port, name and address. SECURITY.md has the table. `peer` is `undefined`
 * before the name is looked up. The result is then the policy for a private peer. The rules are applied again once the
 * peer is known.
 */
export function policyFor(
  { policy, namedBy, serverScope }: ConnectionOrigin,
  peer: AddressScope | undefined,
): Policy {
  if (namedBy === "caller" || policy.redirectPolicy === undefined) return policy;
  return serverScope === "private" && peer !== "public" ? policy : policy.redirectPolicy;
}

/** Returns the scope of a server with these addresses. Private only when all addresses are private. */
export function getAddressScope(addresses: readonly string[]): AddressScope {
  return addresses.length > 0 && addresses.every(isPrivateAddress) ? "private" : "public";
}

/** Returns the joint scope of the previous servers and a further server. Public when any of them is public. */
export function widerScope(before: AddressScope | undefined, further: AddressScope): AddressScope {
  return before === "public" ? "public" : further;
}
