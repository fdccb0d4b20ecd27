/** The first and last address of each block of the IANA registries that is not public unicast. */
export const NON_PUBLIC_IPV4_RANGES: readonly (readonly [first: string, last: string])[] = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "255.255.255.255"],
];

/** The first and last address of the blocks within 2000::/3 that are not public unicast. */
export const NON_PUBLIC_IPV6_RANGES_IN_2000_SLASH_3: readonly (readonly [first: string, last: string])[] = [
  ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
];

/** Single private addresses with the reason: those outside 2000::/3, and those of Teredo and 6to4. */
export const NON_PUBLIC_IPV6_ADDRESSES = [
  ["::", "the unspecified address"],
  ["::1", "loopback"],
  ["::2", "::/96"],
  ["::127.0.0.1", "IPv4-compatible"],
  ["::8.8.8.8", "an IPv4-compatible address of a public address"],
  ["::fffe:8.8.8.8", "the last address before the IPv4-mapped range"],
  ["::1:0:0:0", "the first address after the IPv4-mapped range"],
  ["::ffff:0:8.8.8.8", "IPv4-translated"],
  ["64:ff9b:1::8.8.8.8", "local NAT64"],
  ["64:ff9b:0:0:0:1:808:808", "an address outside the /96 of NAT64"],
  ["64:ff9a:ffff:ffff:ffff:ffff:808:808", "the last address before the NAT64 range"],
  ["100::1", "discard only"],
  ["100:0:0:1::1", "dummy prefix"],
  ["1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "just before 2000::/3"],
  ["2001::8.8.8.8", "Teredo"],
  ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "Teredo"],
  ["2002:808:808::1", "6to4"],
  ["4000::", "just behind 2000::/3"],
  ["5f00::1", "segment routing"],
  ["fc00::1", "unique local"],
  ["fd12:3456::1", "unique local"],
  ["fe80::1", "link local"],
  ["fe80::1%eth0", "a link-local address with a zone"],
  ["fec0::1", "site local"],
  ["ff02::1", "multicast"],
  ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "the last one"],
] as const;

/**
 * The allocated ranges of 2000::/3, with adjacent blocks joined: the first and last 32 bits of each range. The ranges
 * are derived from the text of the IANA registry, and not from the table of the guard.
 */
export const EXPECTED_ALLOCATED_IPV6_RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x2001_0200, 0x2001_0fff],
  [0x2001_1200, 0x2001_4dff],
  [0x2001_5000, 0x2001_5fff],
  [0x2001_8000, 0x2001_bfff],
  [0x2003_0000, 0x2003_3fff],
  [0x2400_0000, 0x241f_ffff],
  [0x2600_0000, 0x2610_01ff],
  [0x2620_0000, 0x2620_01ff],
  [0x2630_0000, 0x263f_ffff],
  [0x2800_0000, 0x280f_ffff],
  [0x2a00_0000, 0x2a1f_ffff],
  [0x2c00_0000, 0x2c0f_ffff],
];

/** True when the registry has allocated the addresses that begin with these 32 bits. */
export function isAllocatedIpv6Prefix(high: number): boolean {
  return EXPECTED_ALLOCATED_IPV6_RANGES.some(([first, last]) => high >= first && high <= last);
}
