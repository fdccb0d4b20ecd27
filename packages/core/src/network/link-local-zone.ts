import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { AccessError } from "../errors/access-error.ts";
import type { OptionKind } from "../options/option-kinds.ts";
import { isLinkLocalIpv6Address } from "../policy/ip-address.ts";

export const linkLocalZoneOptionKind: OptionKind = {
  expects: `the name or number of a network interface, such as "eth0": 1 to 32 letters, digits, ".", "_", "~" and "-"`,
  accepts: (value) => typeof value === "string" && /^[A-Za-z0-9._~-]{1,32}$/.test(value),
  messagesMayShowValue: true,
};

/**
 * Returns the host for the socket: a link-local address with the zone, as in `fe80::1%eth0`, and any other address
 * unchanged. Keeps an IPv6 zone that the resolver has returned. Throws `unavailable` for an unknown zone, and
 * `unsupported` for an interface name that Node.js does not accept. RFC 4007 §11.
 */
export function addLinkLocalZone(zone: string | undefined, address: string): string {
  if (zone === undefined || address.includes("%") || !isLinkLocalIpv6Address(address)) return address;
  const interfaces = listLinkLocalInterfaces();
  const found =
    interfaces.find(({ name }) => name === zone) ?? interfaces.find(({ index }) => String(index) === zone);
  // The system would choose another interface for an unknown zone.
  if (!found)
    throw new AccessError(
      "unavailable",
      `the network interface ${zone} does not exist, or has no link-local IPv6 address`,
      {
        advice: interfaces.length > 0 ? `use ${interfaces.map(({ name }) => name).join(" or ")}` : undefined,
      },
    );
  // As the zone of an IPv6 address, Node.js accepts only numbers on Windows, and only interface names on other
  // platforms.
  const host = `${address}%${process.platform === "win32" ? found.index : found.name}`;
  if (isIP(host) === 0)
    throw new AccessError(
      "unsupported",
      `Node.js does not accept the name of the network interface ${found.name}`,
      { advice: `rename the interface: use only letters, digits, "." and "-"` },
    );
  return host;
}

/** Lists the network interfaces with a link-local IPv6 address. */
function listLinkLocalInterfaces(): { readonly name: string; readonly index: number }[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) => {
    const found = addresses.find(({ address }) => isLinkLocalIpv6Address(address));
    return found?.family === "IPv6" ? [{ name, index: found.scopeid }] : [];
  });
}

/** Returns the zone of an IPv6 address, as in `eth0` for `fe80::1%eth0`. Returns `""` for an address without a zone. */
export function getZone(address: string): string {
  return address.includes("%") ? address.slice(address.indexOf("%") + 1) : "";
}

/**
 * Throws `unsupported` when one of the hosts is link-local and a zone is set. The IPv6 zone has no meaning on the
 * machine of the proxy or external gateway, which would connect to the hosts. RFC 4007 §6.
 */
export function rejectZoneBehindProxyOrGateway(
  zone: string | undefined,
  hosts: readonly string[],
  machine: "proxy" | "gateway",
): void {
  const host = zone === undefined ? undefined : hosts.find(isLinkLocalIpv6Address);
  if (host === undefined) return;
  const reason = `the zone ${zone} of the link-local address ${host} has no meaning for a ${machine}`;
  throw new AccessError("unsupported", reason, { advice: `use no ${machine} for this URL` });
}
