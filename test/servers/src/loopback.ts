import { networkInterfaces } from "node:os";

/** The addresses a server may listen on. */
export type LoopbackAddress = "127.0.0.1" | "::1";

/** Whether this machine has `::1`; many containers do not. */
export const loopbackHasIpv6: boolean = Object.values(networkInterfaces())
  .flat()
  .some((entry) => entry?.address === "::1");
