import { isPrivate } from "./ip-address.ts";
import type { Policy } from "./policy.ts";

/** Where a server is: on a private network or this machine, or on the public Internet. */
export type Place = "private" | "public";

/** What leads to a connection, as far as it decides on the policy. */
export interface Lead {
  /** The policy of the request. */
  readonly policy: Policy;
  /** `"caller"` for the URL of the caller and for its gateway, `"server"` for whatever a server has named. */
  readonly ledBy: "caller" | "server";
  /** Where the server is that has named it. */
  readonly from?: Place | undefined;
}

/**
 * The policy of a connection, for port, name and address alike; SECURITY.md has the table. `peer` is where it leads, `undefined` before
 * the name was looked up: the policy is then the one for a private peer, and the rules are applied again when the peer is known.
 */
export function policyFor({ policy, ledBy, from }: Lead, peer: Place | undefined): Policy {
  if (ledBy === "caller" || policy.redirectPolicy === undefined) return policy;
  return from === "private" && peer !== "public" ? policy : policy.redirectPolicy;
}

/** Where a server with these addresses is: private only when all of them are. */
export function placeOf(addresses: readonly string[]): Place {
  return addresses.length > 0 && addresses.every(isPrivate) ? "private" : "public";
}

/** Where all that was reached is, when a further server was: public as soon as one of them is. */
export function placeOfBoth(before: Place | undefined, further: Place): Place {
  return before === "public" ? "public" : further;
}
