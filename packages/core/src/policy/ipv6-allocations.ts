import type { AddressBlock } from "./ip-address.ts";

/**
 * The IPv6 blocks within 2000::/3 that IANA has allocated, without 2001::/23 (IETF) and 2002::/16 (6to4). Source: the
 * rows with status ALLOCATED of the registry "IPv6 Global Unicast Address Assignments" (IANA) in its version of
 * 2016-01-28. The later allocations (2001:2000::/19, 2410::/12, 2630::/12, 2a10::/12) come from lists of the regional
 * registries. This list of allocated IPv6 blocks was compiled in November 2026. "All address space in this block not
 * listed in the table below is reserved by IANA for future allocation."
 * <https://www.iana.org/assignments/ipv6-unicast-address-assignments>
 */
export const ALLOCATED_IPV6_BLOCKS: readonly (readonly [prefix: string, bits: number])[] = [
  ["2001:200::", 23], // APNIC
  ["2001:400::", 23], // ARIN
  ["2001:600::", 23], // RIPE NCC
  ["2001:800::", 22], // RIPE NCC
  ["2001:c00::", 23], // APNIC
  ["2001:e00::", 23], // APNIC
  ["2001:1200::", 23], // LACNIC
  ["2001:1400::", 22], // RIPE NCC
  ["2001:1800::", 23], // ARIN
  ["2001:1a00::", 23], // RIPE NCC
  ["2001:1c00::", 22], // RIPE NCC
  ["2001:2000::", 19], // RIPE NCC
  ["2001:4000::", 23], // RIPE NCC
  ["2001:4200::", 23], // AFRINIC
  ["2001:4400::", 23], // APNIC
  ["2001:4600::", 23], // RIPE NCC
  ["2001:4800::", 23], // ARIN
  ["2001:4a00::", 23], // RIPE NCC
  ["2001:4c00::", 23], // RIPE NCC
  ["2001:5000::", 20], // RIPE NCC
  ["2001:8000::", 19], // APNIC
  ["2001:a000::", 20], // APNIC
  ["2001:b000::", 20], // APNIC
  ["2003::", 18], // RIPE NCC
  ["2400::", 12], // APNIC
  ["2410::", 12], // APNIC
  ["2600::", 12], // ARIN
  ["2610::", 23], // ARIN
  ["2620::", 23], // ARIN
  ["2630::", 12], // ARIN
  ["2800::", 12], // LACNIC
  ["2a00::", 12], // RIPE NCC
  ["2a10::", 12], // RIPE NCC
  ["2c00::", 12], // AFRINIC
];

/**
 * The IPv6 blocks that were returned to IANA, from the notes of the registry "IPv6 Global Unicast Address Assignments"
 * (RFC 3701).
 */
export const IPV6_BLOCKS_RETURNED_TO_IANA: readonly AddressBlock[] = [
  ["3ffe:0:0:0:0:0:0:0", 16, "returned to IANA (6bone)"],
];
