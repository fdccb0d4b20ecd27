/**
 * Returns the network by which the gateway counts a client: an IPv4 address, or the first 64 bits of an IPv6 address. A
 * client usually has a whole /64 network of IPv6 addresses (RFC 6177 §2). `address` is the address of the client, as in
 * `remoteAddress` of a Node.js socket.
 */
export function getClientSubnet(address: string): string {
  const [, mappedIpv4] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mappedIpv4 !== undefined) return mappedIpv4;
  if (!address.includes(":")) return address;
  const [start = "", end] = address.replace(/%.*$/s, "").split("::");
  const groups = start === "" ? [] : start.split(":");
  if (end !== undefined) {
    const last = end === "" ? [] : end.split(":");
    while (groups.length + last.length < 8) groups.push("0");
    groups.push(...last);
  }
  return `${groups.slice(0, 4).join(":")}::/64`;
}
