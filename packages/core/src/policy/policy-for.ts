import { isPrivateAddress } from "./ip-address.ts";
import type { Policy } from "./policy.ts";

/** Where a server is: on a private network or this machine, or on the public Internet. */
export type AddressScope = "private" | "public";

/** The part of a connection's history that decides on its policy. */
export interface ConnectionOrigin {
  /** The policy of the request. */
  readonly policy: Policy;
  /** `"caller"` for the URL of the caller and for its gateway, `"server"` for a URL or address that a server has named. */
  readonly namedBy: "caller" | "server";
  /** The scope of the server that has named it. */
  readonly serverScope?: AddressScope | undefined;
}

/**
 * Returns the policy of a connection, for its port, name and address alike; SECURITY.md has the table. `peer` is `undefined` before
 * the name is looked up. The result is then the policy for a private peer, and the rules are applied again to the known peer.
 */
export function policyFor(
  { policy, namedBy, serverScope }: ConnectionOrigin,
  peer: AddressScope | undefined,
): Policy {
  if (namedBy === "caller" || policy.redirectPolicy === undefined) return policy;
  return serverScope === "private" && peer !== "public" ? policy : policy.redirectPolicy;
}

/** Returns the scope of a server with these addresses: private only when all of them are. */
export function addressScopeOf(addresses: readonly string[]): AddressScope {
  return addresses.length > 0 && addresses.every(isPrivateAddress) ? "private" : "public";
}

/** Returns the scope of all servers reached so far and a further one: public as soon as one of them is. */
export function widerScope(before: AddressScope | undefined, further: AddressScope): AddressScope {
  return before === "public" ? "public" : further;
}
