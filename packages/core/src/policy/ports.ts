import { BAD_PORTS } from "./bad-ports.ts";
import type { Policy } from "./policy.ts";

/** What the port rule says of one port. `ask`: `onPort` decides. */
export type PortVerdict =
  { readonly allowed: true } | { readonly allowed: false; readonly why: string; readonly ask: boolean };

const ALLOWED: PortVerdict = Object.freeze({ allowed: true });

/** What the port rule has to know of a scheme. */
export interface PortClass {
  readonly scheme: string;
  readonly defaultPort: number | undefined;
  readonly speaksFirst: "server" | "client";
  /** Default ports of other protocols that it speaks when it says so. */
  readonly protocols?: Readonly<Record<string, number>> | undefined;
}

/**
 * The port rule. RFC 1738 §6: "Caution should be used when using any URL which specifies a port number other than the default
 * for the protocol, especially when it is a number within the reserved space."
 */
export function decidePort(
  port: number,
  { scheme, defaultPort, speaksFirst }: PortClass,
  policy: Policy,
): PortVerdict {
  if (!Number.isInteger(port) || port < 1 || port > 65535) return refused(`${port} is no port to connect to`);
  if (port === defaultPort || policy.allowPorts.get(scheme)?.has(port)) return ALLOWED;
  if (policy.strictPorts) return refused(`port ${port} is not the default of ${scheme}`);
  if (port < 1024)
    return refused(`port ${port} lies within the reserved space and is not the default of ${scheme}`);
  if (BAD_PORTS.has(port)) return refused(`port ${port} belongs to another protocol`);
  if (speaksFirst === "server") return ALLOWED;
  return refused(
    `port ${port} is not the default of ${scheme}, where the client speaks first`,
    policy.confirmPort !== undefined,
  );
}

/**
 * The port rule of a data connection, whose port the server has chosen: why it is refused, or `undefined`. None of the reserved
 * space under any policy, and no bad port unless the caller has allowed it to the scheme.
 */
export function dataPortRefusal(port: number, { scheme }: PortClass, policy: Policy): string | undefined {
  if (!Number.isInteger(port) || port < 1024 || port > 65535) return `port ${port}`;
  if (!BAD_PORTS.has(port) || policy.allowPorts.get(scheme)?.has(port)) return undefined;
  return `port ${port}, which belongs to another protocol,`;
}

function refused(why: string, ask = false): PortVerdict {
  return { allowed: false, why, ask };
}
