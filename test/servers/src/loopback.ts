import { networkInterfaces } from "node:os";

/** The loopback addresses on which a test server may listen. */
export type LoopbackAddress = "127.0.0.1" | "::1";

/** True when this machine has `::1`. Many containers have no `::1`. */
export const loopbackHasIpv6: boolean = Object.values(networkInterfaces())
  .flat()
  .some((entry) => entry?.address === "::1");
