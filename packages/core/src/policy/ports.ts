import type { Policy } from "./policy.ts";

/**
 * Ports of other protocols: the 83 "bad ports" of the Fetch standard as of November 2026.
 * <https://fetch.spec.whatwg.org/#port-blocking>
 */
export const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/**
 * The result of the port rule for one port. With `needsConfirmation`, the port is allowed if the policy's callback
 * `confirmPort` returns true.
 */
export type PortRuleResult =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: string; readonly needsConfirmation: boolean };

const PORT_ALLOWED: PortRuleResult = Object.freeze({ allowed: true });

/** The properties of a scheme that the port rule depends on. */
export interface SchemePortProperties {
  readonly scheme: string;
  readonly defaultPort: number | undefined;
  readonly portRange: "default" | "unprivileged";
  /** The default ports of other protocols that a target of the scheme may use. */
  readonly additionalProtocolPorts?: Readonly<Record<string, number>> | undefined;
}

/**
 * Applies the policy's port rule to the port of a connection's target. RFC 1738 §6: "Caution should be used when using
 * any URL which specifies a port number other than the default for the protocol, especially when it is a number within
 * the reserved space."
 */
export function applyPortRule(
  port: number,
  { scheme, defaultPort, portRange }: SchemePortProperties,
  policy: Policy,
): PortRuleResult {
  if (!Number.isInteger(port) || port < 1 || port > 65535) return refusePort(`${port} is not a valid port`);
  if (port === defaultPort || policy.allowPorts.get(scheme)?.has(port)) return PORT_ALLOWED;
  if (policy.strictPorts) return refusePort(`port ${port} is not the default port of ${scheme}`);
  if (port < 1024) return refusePort(`port ${port} is below 1024 and is not the default port of ${scheme}`);
  if (BAD_PORTS.has(port)) return refusePort(`port ${port} belongs to another protocol`);
  if (portRange === "unprivileged") return PORT_ALLOWED;
  return refusePort(`port ${port} is not the default port of ${scheme}`, policy.confirmPort !== undefined);
}

/**
 * Applies the port rule of a data connection, whose port the server has chosen. Returns the reason why the data port is
 * refused, or `undefined`. Every policy refuses ports below 1024 for data connections. The "bad ports" of the Fetch
 * standard are refused unless the caller has allowed them for the scheme.
 */
export function findDataPortRefusal(
  port: number,
  { scheme }: SchemePortProperties,
  policy: Policy,
): string | undefined {
  const offer = `the server offered port ${port} for the data connection`;
  if (!Number.isInteger(port) || port < 1 || port > 65535) return `${offer}: ${port} is not a valid port`;
  if (port < 1024) return `${offer}: port ${port} is below 1024`;
  if (!BAD_PORTS.has(port) || policy.allowPorts.get(scheme)?.has(port)) return undefined;
  return `${offer}: port ${port} belongs to another protocol`;
}

function refusePort(reason: string, needsConfirmation = false): PortRuleResult {
  return { allowed: false, reason, needsConfirmation };
}
