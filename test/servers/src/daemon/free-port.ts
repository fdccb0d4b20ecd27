import { createServer, type AddressInfo } from "node:net";
import type { LoopbackAddress } from "../loopback.ts";

const reservedPorts = new Set<number>();

/**
 * Returns a port without a listener. The caller must be able to retry, since a different process may bind the
 * port first.
 */
export async function findFreePort(address: LoopbackAddress): Promise<number> {
  for (;;) {
    const port = await requestEphemeralPort(address);
    if (reservedPorts.has(port)) continue; // reserved for a daemon that has not bound it yet
    reservedPorts.add(port);
    return port;
  }
}

/** Makes a port available again after the daemon that used the port has ended. */
export function releasePort(port: number): void {
  reservedPorts.delete(port);
}

function requestEphemeralPort(address: LoopbackAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, address, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
